/** Starts one program as a child process with a connection, and exchanges the introduction. */
import { stripVTControlCharacters } from 'node:util'
import { type ChildCommand, type ChildExit, ChildProgram, RpcError } from '@roundhouse/adapter-kit'
import { asNumber, type Json } from '@roundhouse/adapter-kit/read'
import { CodedError, isLack, outOfResources } from '@roundhouse/backend-types'
import type { LineEnds } from '@roundhouse/lines'
import { type Connection, type ConnectionHandlers, openConnection } from '../wire/connection'

export interface Spawned {
  child: ChildProgram
  connection: Connection
}

export interface SpawnedHandlers extends ConnectionHandlers {
  tooLong(line: LineEnds): void
  exit(exit: ChildExit): void
}

/** Rejects when the program cannot be started at all. */
export async function spawnProgram(
  label: string,
  command: Omit<ChildCommand, 'closesInput' | 'endsDescendants'>,
  handlers: SpawnedHandlers,
): Promise<Spawned> {
  let child: ChildProgram | undefined
  const connection = await openConnection((frame) => child?.write(frame), handlers)
  try {
    // What a session starts (MCP servers, commands) outlives these programs.
    child = new ChildProgram(
      { ...command, closesInput: true, endsDescendants: true },
      {
        line: (line) => connection.receive(line),
        tooLong: (line) => handlers.tooLong(line),
        exit: (code, info) => {
          connection.close(new CodedError('BACKEND_CRASHED', `${label} ended (${info.signal ?? code}).`))
          handlers.exit({ code, info })
        },
      },
    )
    await child.spawned
    return { child, connection }
  } catch (cause) {
    if (isLack(cause)) throw outOfResources(cause)
    throw new CodedError('BACKEND_UNAVAILABLE', `${label} could not be started: ${String(cause)}`, undefined, cause)
  }
}

const protocolVersion = 1

/** We serve neither files nor terminals: a program reads and runs by itself, where its own permission requests hold. */
const introduction = {
  protocolVersion,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: 'roundhouse', title: 'Roundhouse', version: '0.1.0' },
}

export async function introduce(label: string, connection: Connection): Promise<Json> {
  const said = await connection.request('initialize', introduction).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
    throw new CodedError('BACKEND_UNAVAILABLE', `${label} refused the connection: ${error.message}`, undefined, error)
  })
  const version = asNumber(said.protocolVersion)
  if (version === protocolVersion) return said
  throw new CodedError(
    'BACKEND_UNAVAILABLE',
    `${label} speaks version ${version ?? 'none'} of the protocol, and not 1.`,
  )
}

/** Rejects if the program ends first, or does not answer in time. */
export async function beforeItDies<T>(
  label: string,
  child: ChildProgram,
  timeoutMs: number,
  work: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const said = `${label} did not answer within ${timeoutMs / 1000} s.`
    timer = setTimeout(() => reject(new CodedError('BACKEND_TIMEOUT', said)), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    if (!child.hasExited) throw error
    const { code, info } = await child.gone
    const words = `${label} ended at once (${info.signal ?? code}). ${plain(info.stderrTail)}`.trim()
    throw new CodedError('BACKEND_UNAVAILABLE', words)
  } finally {
    clearTimeout(timer)
  }
}

/** What it wrote to stderr, without its colours. */
export const plain = (stderrTail: string): string => stripVTControlCharacters(stderrTail).trim()
