// Starts lathe-lsp-server for graphs, and again when the setting that names it changes.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = vscode.workspace.getConfiguration("lathe").get("server");
  client = new LanguageClient(
    "lathe",
    "Lathe",
    { command, args: ["--stdio"] },
    { documentSelector: [{ scheme: "file", language: "lathe" }] }
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(`Lathe: cannot start '${command}': ${error.message}. Set lathe.server to its path.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("lathe.server")) {
        await stop();
        await start();
      }
    })
  );
  await start();
}

module.exports = { activate, deactivate: stop };
