// The page: asks tv of what is written, a moment after it was, and shows the answer. tv runs in a worker (worker.js).
'use strict';
const $ = (id) => document.getElementById(id);
const settle = 150; // milliseconds without a change before tv is asked
const patience = 600; // milliseconds that a question has to its end when another one waits
const report = 'report.html'; // which tv writes for the frame below
const fields = ['before-name', 'before', 'after-name', 'after'];
const verdicts = { 0: 'proved', 1: 'refuted', 2: 'cannot be asked', 3: 'unknown' };

const compiled = WebAssembly.compileStreaming(fetch('tv.wasm'));

// The worker answers one question after the other. One that does not end while another waits ends with its worker, and a new one is started.
let worker, ready, running, waiting, timer, asked = 0;
const warming = []; // questions of which nobody wants the answer: code that ran once runs faster

async function hire() {
  const hired = worker = new Worker('worker.js');
  ready = false;
  running = null;
  worker.onmessage = ({ data }) => {
    if (data.ended !== undefined) return replace(data.ended);
    ready = true;
    running = null;
    if (data.id === asked) show(data);
    next();
  };
  worker.onerror = (e) => replace(e.message);
  try {
    hired.postMessage({ module: await compiled });
  } catch (e) {
    fail('tv cannot run here: ' + e.message);
  }
}

// replace puts another worker in the place of the one there is.
function replace(why) {
  if (running && running.id === asked) fail('tv ended: ' + why);
  worker.onmessage = worker.onerror = null;
  worker.terminate();
  hire();
}

// next has the worker answer the question that waits, if it has no other.
function next() {
  if (!ready || running) return;
  running = waiting || warming.pop();
  waiting = null;
  if (running) worker.postMessage(running);
}

// put has a question answered instead of one that still waits.
function put(question) {
  waiting = question;
  next();
  const before = running;
  if (waiting && before) setTimeout(() => { if (running === before) replace(); }, patience);
}

// question is a message for the worker: two programs, or rules.
function question(id, [before, text, after, second]) {
  const args = ['--report', 'html=' + report, '--', before];
  if (isRules(before)) return { id, texts: { [before]: text }, report, args: ['certify', ...args] };
  return { id, texts: { [before]: text, [after]: second }, report, args: ['check', ...args, after] };
}

function isRules(name) {
  return name.endsWith('.rules');
}

function ask() {
  const values = fields.map((id) => $(id).value), rules = isRules(values[0]);
  document.querySelector('main').classList.toggle('one', rules);
  $('second').hidden = rules;
  $('verdict').textContent = 'asking...';
  $('verdict').dataset.status = '';
  asked++;
  if (!rules && values[0] === values[2]) return fail('the two programs need two names');
  put(question(asked, values));
}

function show({ status, stdout, stderr, report, took }) {
  $('verdict').textContent = (verdicts[status] || 'failed') + (took === undefined ? '' : ` (${Math.round(took)} ms)`);
  $('verdict').dataset.status = status;
  $('said').textContent = stderr + stdout;
  $('report').hidden = !report || status === 2;
  $('report').srcdoc = report || '';
}

function fail(why) {
  show({ status: 2, stdout: '', stderr: why });
}

// A permalink has the texts in the fragment, compressed, with a sum by which one that is cut is known.
async function pipe(data, stream) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

async function fragment() {
  const text = JSON.stringify(fields.map((id) => $(id).value));
  const data = await pipe(new TextEncoder().encode(text), new CompressionStream('gzip')); // which ends in a checksum
  return btoa(Array.from(data, (b) => String.fromCharCode(b)).join('')).replaceAll('+', '-').replaceAll('/', '_');
}

// restore takes the texts from the address, and tells whether it has any.
async function restore() {
  const code = location.hash.slice(1);
  if (code === '') return false;
  try {
    const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const data = await pipe(Uint8Array.from(binary, (c) => c.charCodeAt(0)), new DecompressionStream('gzip'));
    const values = JSON.parse(new TextDecoder().decode(data));
    if (values.length !== fields.length) throw new Error('too few texts');
    fill(values);
  } catch {
    asked++; // of what is asked now no answer is shown
    fail('this link is damaged, or cut: ask for it again');
  }
  return true;
}

// fill sets what is written, and asks about it.
function fill(values) {
  fields.forEach((id, i) => { $(id).value = values[i]; });
  ask();
}

async function begin() {
  hire();
  const examples = await (await fetch('examples.json')).json();
  for (const e of examples) {
    $('example').add(new Option(e.title));
    warming.push(question(0, e.values));
  }
  const choose = () => fill(examples[$('example').selectedIndex].values);
  $('example').onchange = choose;
  $('link').onclick = async () => {
    history.replaceState(null, '', '#' + await fragment());
    try { await navigator.clipboard.writeText(location.href); $('link').textContent = 'Copied'; } catch { $('link').textContent = 'See the address'; }
  };
  for (const id of fields) {
    $(id).oninput = () => {
      $('link').textContent = 'Copy link';
      clearTimeout(timer);
      timer = setTimeout(ask, settle);
    };
  }
  window.onhashchange = restore;
  if (!await restore()) choose();
}

begin();
