/**
 * An app-server for a few questions outside of any session. It is started in an empty folder, so that no repository has
 * a say, and ended whatever happens.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AdapterContext, CodedError } from '@roundhouse/backend-types'
import { asRecord, type Json } from '../wire/read'
import { clientInfo, createRpc, type Rpc } from '../wire/rpc'
import { type AppServer, startAppServer } from './app-server'

const endGraceMs = 500

export async function withAppServer<T>(
  context: AdapterContext,
  command: string,
  timeoutMs: number,
  converse: (rpc: Rpc, initialize: Json) => Promise<T>,
): Promise<T> {
  const cwd = join(context.scratchDir, `codex-asked-${randomUUID()}`)
  await mkdir(cwd, { recursive: true, mode: 0o700 })
  let server: AppServer | undefined
  let timer: NodeJS.Timeout | undefined
  try {
    const silent = () => {}
    const rpc = createRpc((line) => server?.write(line), { notification: silent, request: silent, stray: silent })
    const env = { ...context.env, TMPDIR: cwd }
    const args = ['app-server']
    const started = await startAppServer({ command, args, env, cwd, onLine: rpc.receive, onTooLong: silent })
    server = started
    const died = started.exited.then(({ code, signal, stderrTail }): never => {
      throw new Error(`Codex ended at once (${signal ?? code}). ${stderrTail}`.trim())
    })
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new CodedError('BACKEND_TIMEOUT', `Codex did not answer within ${timeoutMs / 1000} seconds.`)),
        timeoutMs,
      )
    })
    return await Promise.race([introduce(rpc).then((initialize) => converse(rpc, initialize)), died, late])
  } finally {
    clearTimeout(timer)
    await server?.end(endGraceMs)
    await rm(cwd, { recursive: true, force: true }).catch(() => {})
  }
}

async function introduce(rpc: Rpc): Promise<Json> {
  const capabilities = { experimentalApi: true, requestAttestation: false }
  const initialize = asRecord(await rpc.request('initialize', { clientInfo, capabilities }))
  rpc.notify('initialized')
  return initialize
}
