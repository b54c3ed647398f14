// The options of npm start, and the checks that can fail before anything is installed or started.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { root } from '../common/paths.mjs'
import { pause } from '../common/process-facts.mjs'
import { PlainError } from '../common/run.mjs'

const usualPort = 4600

/** Reads the environment. Folders are absolute, so that no child process depends on where it was started. */
export function readStartConfig(env, argv = [], dev = false) {
  const text = env.PORT ?? String(dev ? usualPort + 1 : usualPort)
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new PlainError(`PORT is "${text}"; it must be a number from 0 to 65535.`)
  }
  const unknown = argv.find((argument) => argument !== '--own-sessions')
  if (unknown !== undefined) throw new PlainError(`Unknown option ${unknown}. Usage: npm start [-- --own-sessions]`)
  const prefix = dev ? 'dev-' : ''
  const folder = (value, usual) => path.resolve(root, value || usual)
  return {
    port,
    host: env.HOST || '127.0.0.1',
    dataDir: folder(env.ROUNDHOUSE_DATA_DIR, `.roundhouse/${prefix}hub`),
    agentHome: folder(env.ROUNDHOUSE_AGENT_HOME, `.roundhouse/${prefix}agent`),
    workspace: folder(env.ROUNDHOUSE_WORKSPACE, 'workspace'),
    publicUrl: env.ROUNDHOUSE_PUBLIC_URL,
    dev,
    ownSessions: dev || argv.includes('--own-sessions'),
  }
}

/** What the hub writes when it starts, and a little more. */
const roomBytes = 1_048_576
const fullDisk = new Set(['ENOSPC', 'EDQUOT'])

/** Waits while its disk is full, and says so once. */
export async function requireRoom(folder, variable, say, everyMs = 1_000) {
  for (let told = false; !requireWritable(folder, variable, roomBytes); told = true) {
    if (!told) say(`The disk of ${folder} is full. Roundhouse starts when there is room.`)
    await pause(everyMs)
  }
}

/**
 * Makes the folder if need be, and really writes into it: permission bits do not tell of a read-only disk. False where the
 * disk is full.
 */
export function requireWritable(folder, variable, bytes = 0) {
  const probe = path.join(folder, `.probe-${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    try {
      writeFileSync(probe, Buffer.alloc(bytes))
    } finally {
      rmSync(probe, { force: true })
    }
    return true
  } catch (error) {
    if (fullDisk.has(error.code)) return false
    const elsewhere = variable ? `, or set ${variable} to another one` : ', or copy the repository to another one'
    throw new PlainError(`Roundhouse cannot write to ${folder} (${error.code}): make that folder writable${elsewhere}.`)
  }
}

const tryListen = (port, host) =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', (error) => resolve(error.code))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)))
  })

export async function requireFreePort({ port, host }) {
  const code = await tryListen(port, host)
  if (code === null) return
  const choose = `choose another one: PORT=${port + 1 > 65_535 ? usualPort : port + 1} npm start`
  if (code === 'EADDRINUSE') throw new PlainError(`Port ${port} is in use by another program; ${choose}`)
  if (code === 'EACCES') throw new PlainError(`Port ${port} cannot be opened by this user; ${choose}`)
  throw new PlainError(`Roundhouse cannot listen on ${host}:${port} (${code}); set HOST or PORT to something else.`)
}
