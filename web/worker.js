// Runs tv, compiled to WebAssembly, beside the page: it is started once and answers one question after the other, over files that are kept
// here. A message {module} starts it, and {ready} is answered; then {id, args, texts, report} asks, and is answered by
// {id, status, stdout, stderr, report, took}. {ended} says why no more will be.
importScripts('wasm_exec.js');

const O_CREAT = 64, O_EXCL = 128, O_TRUNC = 512, O_APPEND = 1024;
const encoder = new TextEncoder(), decoder = new TextDecoder();

// What Go asks of an operating system: syscall/fs_js.go has the list. Names are those of one folder.
let files = new Map(), nextFD = 10, lastWords = '';
const open = new Map();

function error(code) {
  return Object.assign(new Error(code), { code });
}

function nameOf(path) {
  return path.replace(/^(\.?\/)+/, '');
}

function stat(path) {
  const name = nameOf(path), directory = name === '' || name === '.';
  if (!directory && !files.has(name)) throw error('ENOENT');
  return {
    dev: 1, ino: 1, mode: directory ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: 1,
    size: directory ? 0 : files.get(name).length, atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => directory,
  };
}

function append(old, data) {
  const all = new Uint8Array(old.length + data.length);
  all.set(old);
  all.set(data, old.length);
  return all;
}

// answer makes of a function one whose result goes to a callback.
function answer(f) {
  return (...args) => {
    const callback = args.pop();
    let result;
    try {
      result = f(...args);
    } catch (e) {
      return callback(e.code ? e : error('EIO'));
    }
    callback(null, result);
  };
}

const refuse = answer(() => { throw error('ENOSYS'); });

globalThis.fs = {
  constants: { O_WRONLY: 1, O_RDWR: 2, O_CREAT, O_TRUNC, O_APPEND, O_EXCL, O_DIRECTORY: 65536 },
  writeSync(fd, data) { // standard error, where a program says why it ends
    lastWords += decoder.decode(data);
    return data.length;
  },
  write: answer((fd, data, offset, length) => {
    const part = data.slice(offset, offset + length);
    if (!open.has(fd)) return fs.writeSync(fd, part);
    const name = open.get(fd).name;
    files.set(name, append(files.get(name), part)); // what tv writes it writes from the beginning on
    return length;
  }),
  open: answer((path, flags) => {
    const name = nameOf(path);
    if (!files.has(name) && !(flags & O_CREAT)) stat(path);
    if (files.has(name) && flags & O_EXCL) throw error('EEXIST');
    if (!files.has(name) && flags & O_CREAT || flags & O_TRUNC) files.set(name, new Uint8Array());
    open.set(++nextFD, { name, at: 0 });
    return nextFD;
  }),
  read: answer((fd, buffer, offset, length, position) => {
    const file = open.get(fd);
    if (!file) return 0; // standard input is empty
    const at = position === null ? file.at : position, part = files.get(file.name).subarray(at, at + length);
    buffer.set(part, offset);
    if (position === null) file.at += part.length;
    return part.length;
  }),
  close: answer((fd) => { open.delete(fd); }),
  stat: answer(stat), lstat: answer(stat),
  fstat: answer((fd) => open.has(fd) ? stat(open.get(fd).name) : { ...stat('/'), mode: 0o20644, isDirectory: () => false }),
  fsync: answer(() => {}),
  rename: answer((from, to) => {
    stat(from);
    files.set(nameOf(to), files.get(nameOf(from)));
    files.delete(nameOf(from));
  }),
  unlink: answer((path) => { stat(path); files.delete(nameOf(path)); }),
  chmod: answer(() => {}), fchmod: answer(() => {}),
  readdir: refuse, mkdir: refuse, rmdir: refuse, chown: refuse,
  fchown: refuse, lchown: refuse, link: refuse, readlink: refuse, symlink: refuse, truncate: refuse, ftruncate: refuse, utimes: refuse,
};

async function start(module) {
  const go = new Go();
  go.argv = ['tv'];
  go.env = { HOME: '/', NO_COLOR: '1' };
  go.exit = () => {};
  const ended = go.run(await WebAssembly.instantiate(module, go.importObject)); // which gives the function tv
  postMessage({ ready: true });
  await ended; // of a question too large for the memory there is
  throw new Error(lastWords.split('\n')[0]);
}

function ask({ id, args, texts, report }) {
  const begun = performance.now();
  files = new Map(Object.entries(texts).map(([name, text]) => [nameOf(name), encoder.encode(text)]));
  tv(args, (status, stdout, stderr) => {
    postMessage({ id, status, stdout, stderr, report: report && decoder.decode(files.get(report)), took: performance.now() - begun });
  });
}

onmessage = ({ data }) => {
  if (data.id !== undefined) return ask(data);
  start(data.module).catch((e) => postMessage({ ended: e.message }));
};
