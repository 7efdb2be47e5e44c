// The page: asks tv of what is written, a moment after it was, and shows the answer. worker.js runs it.
'use strict';
const $ = (id) => document.getElementById(id);
const settle = 150; // milliseconds without a change before tv is asked
const report = 'report.html'; // which tv writes for the frame below
const verdicts = { 0: 'proved', 1: 'refuted', 2: 'cannot be asked', 3: 'unknown', 130: 'stopped' };

const compiled = WebAssembly.compileStreaming(fetch('tv.wasm'));
let worker, asked = 0, timer;

// Each question has a worker; one that works on a question of before is ended.
async function ask() {
  const id = ++asked, rules = $('before-name').value.endsWith('.rules');
  document.querySelector('main').classList.toggle('one', rules);
  $('second').hidden = rules;
  if (worker) worker.terminate();
  $('verdict').textContent = 'asking...';
  $('verdict').dataset.status = '';
  const before = $('before-name').value, after = $('after-name').value;
  const names = rules ? [before] : [before, after];
  const texts = { [before]: $('before').value };
  if (!rules) texts[after] = $('after').value;
  if (!rules && before === after) {
    return show({ status: 2, stdout: '', stderr: 'the two programs need two names', took: 0 });
  }
  const failed = (e) => show({ status: 2, stdout: '', stderr: 'tv cannot run here: ' + e.message, took: 0 });
  let module;
  try {
    module = await compiled;
  } catch (e) {
    return failed(e);
  }
  if (id !== asked) return; // another question came meanwhile
  worker = new Worker('worker.js');
  worker.onmessage = ({ data }) => { if (id === asked) show(data); };
  worker.onerror = failed;
  worker.postMessage({ module, texts, report, args: [rules ? 'certify' : 'check', '--report', 'html=' + report, '--', ...names] });
}

function show({ status, stdout, stderr, report, took }) {
  $('verdict').textContent = `${verdicts[status] || 'failed'} (${Math.round(took)} ms)`;
  $('verdict').dataset.status = status;
  $('said').textContent = stderr + stdout;
  $('report').hidden = !report || status === 2;
  $('report').srcdoc = report || '';
}

// A permalink has the texts in the fragment, compressed, with a sum by which one that is cut is known.
async function pipe(data, stream) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

async function fragment() {
  const text = JSON.stringify(['before-name', 'before', 'after-name', 'after'].map((id) => $(id).value));
  const data = await pipe(new TextEncoder().encode(text), new CompressionStream('gzip')); // which ends in a checksum
  return btoa(Array.from(data, (b) => String.fromCharCode(b)).join('')).replaceAll('+', '-').replaceAll('/', '_');
}

async function restore() {
  const code = location.hash.slice(1);
  if (code === '') return false;
  try {
    const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const data = await pipe(Uint8Array.from(binary, (c) => c.charCodeAt(0)), new DecompressionStream('gzip'));
    const values = JSON.parse(new TextDecoder().decode(data));
    ['before-name', 'before', 'after-name', 'after'].forEach((id, i) => { $(id).value = values[i]; });
    return true;
  } catch {
    show({ status: 2, stdout: '', stderr: 'this link is damaged, or cut: ask for it again', took: 0 });
    return true;
  }
}

async function begin() {
  const examples = await (await fetch('examples.json')).json();
  for (const e of examples) $('example').add(new Option(e.title));
  const choose = () => {
    const e = examples[$('example').selectedIndex];
    ['before-name', 'before', 'after-name', 'after'].forEach((id, i) => { $(id).value = e.values[i]; });
    ask();
  };
  $('example').onchange = choose;
  $('link').onclick = async () => {
    history.replaceState(null, '', '#' + await fragment());
    try { await navigator.clipboard.writeText(location.href); $('link').textContent = 'Copied'; } catch { $('link').textContent = 'See the address'; }
  };
  for (const id of ['before-name', 'before', 'after-name', 'after']) {
    $(id).oninput = () => {
      $('link').textContent = 'Copy link';
      clearTimeout(timer);
      timer = setTimeout(ask, settle);
    };
  }
  if (!await restore()) choose();
  else if ($('before').value !== '') ask();
}

begin();
