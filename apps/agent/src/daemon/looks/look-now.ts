/**
 * A look whose result is needed at once, such as the real paths of the roots for checking a command. The wait is limited
 * (FLOW-7), even if the process that looks cannot be ended: another thread waits for that process.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import path from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { isLack } from '@roundhouse/backend-types'
import { requireProgram } from '../../files/require-program'
import type { Look, Seen } from './looks'

const LIMIT_MS = 3_000
/** The start time of a process on a busy machine. */
const START_MS = 5_000
/** More than the thread and its process need. A process without descriptors reports nothing while this one waits. */
const DESCRIPTORS = 16

/** Programs of the agent: `look.js`, and the thread that starts it. */
export interface LookEntries {
  lookerEntry: string
  lookThreadEntry: string
}

/** The data for the thread. The first number of `told` wakes the waiting thread. */
export interface ThreadWork {
  entry: string
  question: string
  port: MessagePort
  told: Int32Array
}

export type ThreadTold = { line: string } | { failed: { code: string; message: string } }

/** Null: the path does not answer. Throws a passing error (`passesByItself`) if the look could not start. */
export function lookNow<K extends Look['look']>(
  entries: LookEntries,
  look: Extract<Look, { look: K }>,
): Seen[K] | null {
  requireProgram(entries.lookThreadEntry)
  requireDescriptors()
  const { port1: port, port2 } = new MessageChannel()
  const told = new Int32Array(new SharedArrayBuffer(4))
  const entry = path.resolve(entries.lookerEntry)
  const workerData: ThreadWork = { entry, question: `${JSON.stringify(look)}\n`, port: port2, told }
  const worker = new Worker(path.resolve(entries.lookThreadEntry), {
    workerData,
    transferList: [port2],
    env: {},
    execArgv: [],
  })
  worker.on('error', () => {})
  worker.unref()
  try {
    return outcomeOf(port, told) as Seen[K] | null
  } finally {
    port.postMessage('over')
    port.close()
  }
}

function outcomeOf(port: MessageChannel['port1'], told: Int32Array): unknown {
  let deadline = performance.now() + START_MS
  for (let heard = 0; ; heard += 1) {
    while (Atomics.load(told, 0) <= heard) {
      const left = deadline - performance.now()
      if (left <= 0 || Atomics.wait(told, 0, heard, left) === 'timed-out') return null
    }
    const message = receiveMessageOnPort(port)?.message as ThreadTold | undefined
    if (message === undefined || 'failed' in message) throw notLooked(message?.failed)
    const line = JSON.parse(message.line)
    if (line.ready) deadline = performance.now() + LIMIT_MS
    if (line.error) throw notLooked(line.error)
    if ('seen' in line) return line.seen
  }
}

function requireDescriptors(): void {
  const open: number[] = []
  try {
    for (let count = 0; count < DESCRIPTORS; count += 1) open.push(openSync(devNull, 'r'))
  } finally {
    for (const descriptor of open) closeSync(descriptor)
  }
}

function notLooked(cause: { code: string; message: string } | undefined): Error {
  if (cause?.code !== undefined && isLack(Object.assign(new Error(), cause)))
    return Object.assign(new Error(cause.message), cause)
  return Object.assign(new Error('the allowed folders could not be looked at', { cause }), { code: 'EIO' })
}
