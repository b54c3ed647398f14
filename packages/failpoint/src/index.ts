/** Named points at which a test makes this process die, wait or fail. Set by `ROUNDHOUSE_FAILPOINTS`; see the README. */
import { existsSync, writeFileSync } from 'node:fs'

export type FailpointName =
  | 'hub.afterInsert'
  | 'hub.afterCommit.beforeAck'
  | 'hub.command.beforeSend'
  | 'hub.erase'
  | 'hub.tree.beforeAnswer'
  | 'hub.tree.afterAnswer'
  | 'hub.webhook.beforeSend'
  | 'hub.webhook.afterSend.beforeRecord'
  | 'hub.channel.open'
  | 'hub.channel.links'
  | 'hub.channel.sent'
  | 'hub.bus.read'
  | 'agent.append'
  | 'agent.afterAppend.beforeSend'
  | 'agent.afterAck.beforePersist'
  | 'agent.command.accepted'
  | 'agent.decision.beforeApply'
  | 'agent.published.beforeAnswer'
  | 'agent.decision.afterApply.beforePersist'
  | 'agent.erase'
  | 'agent.image.kept'
  | 'agent.newKey.afterWrite.beforeAsk'
  | 'agent.newKey.afterAnswer.beforePersist'
  | 'agent.newKey.afterPersist.beforeForget'
  | 'scripted.afterRecord.beforePrint'

export interface Failpoint {
  do: 'kill' | 'stall' | 'full'
  ms?: number
  at?: number
  mark?: string
  while?: string
}

export type Failpoints = Partial<Record<FailpointName, Failpoint>>

export const FAILPOINTS_VARIABLE = 'ROUNDHOUSE_FAILPOINTS'

const set: Failpoints = JSON.parse(process.env[FAILPOINTS_VARIABLE] ?? '{}')
const passes = new Map<FailpointName, number>()

/** One pass through this moment. Throws only where a test asked for a full disk. */
export function failpoint(name: FailpointName): void {
  const point = set[name]
  if (!point) return
  const pass = (passes.get(name) ?? 0) + 1
  passes.set(name, pass)
  if (point.at !== undefined && point.at !== pass) return
  if (point.while !== undefined && !existsSync(point.while)) return
  if (point.mark !== undefined) {
    if (existsSync(point.mark)) return
    writeFileSync(point.mark, name)
  }
  act(point)
}

function act(point: Failpoint): void {
  switch (point.do) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      block(60_000) // until the signal has come
      return
    case 'stall':
      stall(point)
      return
    case 'full':
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
}

function stall({ ms = 0, while: file }: Failpoint): void {
  const end = Date.now() + ms
  if (file === undefined) block(ms)
  else while (Date.now() < end && existsSync(file)) block(20)
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
