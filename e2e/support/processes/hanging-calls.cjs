// Loaded into a daemon before its own code, and by it into its lookers, askers and what reads the marks of processes. While the named pipe is there, every call
// on a path in one of the folders waits until somebody opens the pipe to write: a call of its own thread stops the process,
// any other keeps one thread of libuv's pool, as a disk that does not answer does. It works on every system.
const { syncBuiltinESMExports } = require('node:module')
const childProcess = require('node:child_process')
const fs = require('node:fs')

const { pipe, list } = JSON.parse(process.env.ROUNDHOUSE_TEST_HANGS)
const { openSync, closeSync, existsSync } = fs
const folders = JSON.parse(fs.readFileSync(list, 'utf8'))
const openLater = fs.promises.open

const isThere = (place) => folders.some((folder) => place === folder || place.startsWith(`${folder}/`))
const hangs = (place) => typeof place === 'string' && isThere(place) && existsSync(pipe)
const waitNow = (...places) => {
  if (places.some(hangs)) closeSync(openSync(pipe, 'r'))
}
const waitLater = async (place) => {
  if (hangs(place)) await (await openLater(pipe, 'r')).close()
}

function wrap(owner, name, make) {
  const original = owner[name]
  if (typeof original !== 'function' || /^[A-Z_]/.test(name)) return
  owner[name] = Object.assign(make(original), original)
}

for (const name of Object.keys(fs)) {
  const isSync = name.endsWith('Sync')
  wrap(fs, name, (original) =>
    isSync
      ? (place, ...rest) => {
          waitNow(place)
          return original.call(fs, place, ...rest)
        }
      : (place, ...rest) => {
          if (!hangs(place) || typeof rest.at(-1) !== 'function') return original.call(fs, place, ...rest)
          void waitLater(place).then(() => original.call(fs, place, ...rest))
        },
  )
}
wrap(fs.realpathSync, 'native', (original) => (place, ...rest) => {
  waitNow(place)
  return original(place, ...rest)
})
for (const name of Object.keys(fs.promises)) {
  wrap(fs.promises, name, (original) => async (place, ...rest) => {
    await waitLater(place)
    return original.call(fs.promises, place, ...rest)
  })
}

const isOurs = (args) => Array.isArray(args) && args.some((one) => /[\\/](look|ask|reaper)\.js$/.test(one))
const { NODE_OPTIONS, ROUNDHOUSE_TEST_HANGS } = process.env
const hanging = (args, options) =>
  isOurs(args) ? { ...options, env: { ...options?.env, NODE_OPTIONS, ROUNDHOUSE_TEST_HANGS } } : options
// Whoever starts a program waits until the new process has found it and its folder.
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync']) {
  wrap(childProcess, name, (original) => (file, args, options, ...rest) => {
    waitNow(file, options?.cwd)
    return original(file, args, hanging(args, options), ...rest)
  })
}
syncBuiltinESMExports()
