// The page: asks tv of what is written, a moment after it was, and shows the answer. tv runs in a worker (worker.js).
'use strict';
const $ = (id) => document.getElementById(id);
const settle = 150; // milliseconds without a change before tv is asked
const patience = 600; // milliseconds that a question has to its end when another one waits
const report = 'report.html'; // which tv writes for the frame below
const fields = ['before-name', 'before', 'after-name', 'after'];
const verdicts = { 0: 'proved', 1: 'refuted', 2: 'cannot be asked', 3: 'unknown' };

// A part of tv is a module of its own, so that what a page begins with is small: texts about tensors have one, those about circuits another.
// It is compiled once, and runs in a worker that answers one question after the other. A question that does not end while another waits
// ends with its worker, and a new one is started.
class Part {
  constructor(name) {
    this.name = name;
    this.warming = []; // questions of which nobody wants the answer: code that ran once runs faster
  }

  async compile() {
    const { body } = await fetch(this.name + '.bin'); // compressed by gzip; the name is one that no server has ideas about
    const headers = { 'Content-Type': 'application/wasm' };
    return WebAssembly.compileStreaming(new Response(body.pipeThrough(new DecompressionStream('gzip')), { headers }));
  }

  async hire() {
    const hired = this.worker = new Worker('worker.js');
    this.ready = false;
    this.running = null;
    hired.onmessage = ({ data }) => {
      if (data.ended !== undefined) return this.replace(data.ended);
      this.ready = true;
      const { later } = this.running || {}; // the same with a report, which takes longer than the verdict
      this.running = null;
      if (data.id === asked) {
        show(data);
        if (data.status !== 2) this.waiting ??= later;
      }
      this.next();
    };
    hired.onerror = (e) => this.replace(e.message);
    try {
      this.module ??= this.compile();
      hired.postMessage({ module: await this.module });
    } catch (e) {
      if (this.waiting) fail('tv cannot run here: ' + e.message);
    }
  }

  // replace puts another worker in the place of the one there is.
  replace(why) {
    if (this.running && this.running.id === asked) fail('tv ended: ' + why);
    this.worker.onmessage = this.worker.onerror = null;
    this.worker.terminate();
    this.hire();
  }

  // next has the worker answer the question that waits, if it has no other.
  next() {
    if (!this.ready || this.running) return;
    this.running = this.waiting || this.warming.pop();
    this.waiting = null;
    if (this.running) this.worker.postMessage(this.running);
    else if (this === tensors && !circuits.worker) circuits.hire(); // while nobody asks
  }

  // put has a question answered instead of one that still waits.
  put(question) {
    this.waiting = question;
    if (!this.worker) this.hire();
    this.next();
    const before = this.running;
    if (this.waiting && before) setTimeout(() => { if (this.running === before) this.replace(); }, patience);
  }
}

const tensors = new Part('tensors'), circuits = new Part('circuits');
let timer, asked = 0;

// question is a message for a worker, two programs or rules, and the part of tv that it is for.
function question(id, [before, text, after, second]) {
  if (isRules(before)) {
    const bits = text.includes('(lang bv)');
    return [bits ? circuits : tensors, message(id, { [before]: text }, 'certify', [before])];
  }
  const bits = isCircuit(before, text) || isCircuit(after, second);
  return [bits ? circuits : tensors, message(id, { [before]: text, [after]: second }, 'check', [before, after])];
}

// message is what a worker is asked: first for the verdict alone, as nothing is looked for then that is to blame.
function message(id, texts, command, names) {
  const later = { id, texts, report, args: [command, '--report', 'html=' + report, '--', ...names] };
  return { id, texts, args: [command, '-q', '--', ...names], later };
}

// isCircuit tells texts about circuits from others; where it is wrong, tv says what it is asked for.
function isCircuit(name, text) {
  return /\.(bv|s?v|futil|ir)$/.test(name) || name.endsWith('.mlir') && /\bhw\.module\b/.test(text);
}

function isRules(name) {
  return name.endsWith('.rules');
}

function ask() {
  const values = fields.map((id) => $(id).value), rules = isRules(values[0]);
  $('panes').classList.toggle('one', rules);
  $('second').hidden = rules;
  $('verdict').textContent = 'asking...';
  $('verdict').dataset.status = '';
  asked++;
  if (!rules && values[0] === values[2]) return fail('the two programs need two names');
  const [part, message] = question(asked, values);
  part.put(message);
}

function show({ status, stdout, stderr, report, took }) {
  $('report').hidden = status === 2;
  $('report').classList.toggle('stale', !report);
  $('said').textContent = stderr + stdout;
  if (report) {
    $('report').srcdoc = report;
    return;
  }
  $('verdict').textContent = (verdicts[status] || 'failed') + (took === undefined ? '' : ` (${Math.round(took)} ms)`);
  $('verdict').dataset.status = status;
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
  tensors.hire();
  const examples = await (await fetch('examples.json')).json();
  for (const e of examples) {
    $('example').add(new Option(e.title));
    const [part, message] = question(0, e.values);
    part.warming.push(message);
  }
  const choose = () => fill(examples[$('example').selectedIndex].values);
  $('example').onchange = choose;
  $('link').onclick = async () => {
    history.replaceState(null, '', '#' + await fragment());
    try {
      await navigator.clipboard.writeText(location.href);
      $('link').textContent = 'Copied';
    } catch {
      $('link').textContent = 'See the address';
    }
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
