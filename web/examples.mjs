// Writes the examples of the page from the files of the folder examples: node web/examples.mjs > bin/web/examples.json
import { readFileSync } from 'node:fs';

const list = [
  ['Blocked product, right', 'matmul.sexp', 'matmul-blocked.sexp'],
  ['Blocked product, as printed in a paper', 'matmul.sexp', 'matmul-blocked-as-printed.sexp'],
  ['Product of any size by halves', 'matmul-symbolic-product.sexp', 'matmul-symbolic-halves.sexp'],
  ['Product by halves, wrong for odd sizes', 'matmul-symbolic-product.sexp', 'matmul-symbolic-halves-bad.sexp'],
  ['Softmax', 'softmax.sexp', 'softmax-stable.sexp'],
  ['Tiled loops in C', 'matmul.c', 'matmul-tiled.c'],
  ['Tiled loops, short of the end', 'matmul.c', 'matmul-tiled-short.c'],
  ['A netlist', 'add8.bv', 'add8.v'],
  ['A netlist, wrong', 'add8.bv', 'add8-bad.v'],
  ['A rule', 'de-morgan.rules'],
];
const text = (name) => name ? readFileSync(new URL('../examples/' + name, import.meta.url), 'utf8') : '';
console.log(JSON.stringify(list.map(([title, before, after = 'after.sexp']) =>
  ({ title, values: [before, text(before), after, after === 'after.sexp' ? '' : text(after)] }))));
