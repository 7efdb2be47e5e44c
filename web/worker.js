// Runs tv, compiled to WebAssembly, for one question: the command as it is, over files that are kept here. A worker answers once:
// timers of a program that ended would come into the next one.
importScripts('wasm_exec.js');

const O_CREAT = 64, O_EXCL = 128, O_TRUNC = 512, O_APPEND = 1024;
const encoder = new TextEncoder(), decoder = new TextDecoder();

// What Go asks of an operating system: syscall/fs_js.go has the list. Names are those of one folder.
let files, open, nextFD, output;

function start(texts) {
  files = new Map([...Object.entries(texts)].map(([name, text]) => [name, encoder.encode(text)]));
  open = new Map();
  nextFD = 10;
  output = { 1: [], 2: [] };
}

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
  writeSync(fd, data) {
    output[fd].push(decoder.decode(data, { stream: true }));
    return data.length;
  },
  write: answer((fd, data, offset, length) => {
    const part = data.slice(offset, offset + length);
    if (output[fd]) return fs.writeSync(fd, part);
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

onmessage = async ({ data: { module, args, texts, report } }) => {
  try {
    const begun = performance.now();
    const go = new Go();
    let status = 0;
    go.argv = ['tv', ...args];
    go.env = { HOME: '/', NO_COLOR: '1' };
    go.exit = (code) => {
      status = code;
      for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // they would call what has ended
      go._scheduledTimeouts.clear();
    };
    start(texts);
    await go.run(await WebAssembly.instantiate(module, go.importObject));
    postMessage({ status, stdout: output[1].join(''), stderr: output[2].join(''), report: decoder.decode(files.get(report)), took: performance.now() - begun });
  } catch (e) {
    postMessage({ status: 2, stdout: '', stderr: 'tv cannot run here: ' + e.message, took: 0 });
  }
};
