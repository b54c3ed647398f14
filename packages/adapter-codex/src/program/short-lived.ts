/**
 * An app-server for a few questions outside of any session. It is started in an empty folder, so that no repository has
 * a say, and ended whatever happens.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChildProgram, createRpc, type Rpc } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import { type AdapterContext, CodedError } from '@roundhouse/backend-types'
import { dialect, introduce } from '../wire/introduce'
import { endedAtOnce, startAppServer } from './app-server'

const graceMs = 500

export async function withAppServer<T>(
  context: AdapterContext,
  command: string,
  timeoutMs: number,
  converse: (rpc: Rpc, initialize: Json) => Promise<T>,
): Promise<T> {
  const cwd = join(context.scratchDir, `codex-asked-${randomUUID()}`)
  await mkdir(cwd, { recursive: true, mode: 0o700 })
  let server: ChildProgram | undefined
  let timer: NodeJS.Timeout | undefined
  try {
    const silent = () => {}
    const rpc = createRpc(dialect, (frame) => server?.write(frame), {
      notification: silent,
      request: silent,
      stray: silent,
    })
    const env = { ...context.env, TMPDIR: cwd }
    const silence = { tooLong: silent, exit: silent }
    const started = await startAppServer(
      { file: command, args: ['app-server'], env, workDir: cwd, graceMs },
      { line: rpc.receive, ...silence },
    )
    server = started
    const died = started.gone.then((exit): never => {
      throw new Error(endedAtOnce(exit))
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
    await server?.end()
    await rm(cwd, { recursive: true, force: true }).catch(() => {})
  }
}
