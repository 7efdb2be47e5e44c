// Starts "tv lsp" and shows what it says of the questions that code lenses ask.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const languages = ['glenside', 'tv-rules', 'tv-bv', 'tv-litmus', 'vta', 'comprehension', 'tc', 'rise', 'relay', 'c', 'mlir',
  'verilog', 'systemverilog'];
let client;

async function activate(context) {
  const command = vscode.workspace.getConfiguration('tv').get('path');
  const said = vscode.window.createOutputChannel('tv: verdicts');
  client = new LanguageClient('tv', 'tv', { command, args: ['lsp'] }, {
    documentSelector: languages.map((language) => ({ language })),
    middleware: {
      executeCommand: async (name, args, next) => {
        const result = await next(name, args);
        if (result && result.text) {
          said.appendLine(result.text);
          said.show(true);
        }
        return result;
      },
    },
  });
  context.subscriptions.push(said, vscode.commands.registerCommand('tv.checkAgainst', async (uri) => {
    const after = await vscode.window.showOpenDialog({ title: 'The program that may stand for this one' });
    if (after && after.length === 1) {
      await vscode.commands.executeCommand('tv.check', uri, after[0].toString());
    }
  }));
  await client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
