// As saturate.v, but a concatenation does not widen a sum: there is no carry.
module saturate #(parameter W = 8)(input clk, input [W-1:0] a, b, output reg [W-1:0] y, output reg [3:0] count);
  reg [W:0] sum;
  always @* begin
    sum = {a + b};
    y = sum[W] ? {W{1'b1}} : sum;
  end
  initial count = 0;
  always @(posedge clk)
    if (sum[W]) count <= count + 1;
endmodule
