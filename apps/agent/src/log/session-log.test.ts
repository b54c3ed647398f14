import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCutValue, parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { goldenAsk } from '@roundhouse/backend-types/fixtures'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../redact/redactor'
import { bundle } from '../testing/bundle'
import { openLogReader } from './reader'
import { sha256 } from './serialize'
import { SessionLog } from './session-log'
import type { SessionLogOptions } from './session-log-options'

const everything = { maxEvents: 10_000, maxBytes: Number.MAX_SAFE_INTEGER }
const text = (words: string): SessionEvent => ({ kind: 'assistant_text', text: words })
const inboxRow = {
  commandId: 'c1',
  cmdSeq: 1,
  kind: 'prompt.send',
  body: '{}',
  state: 'accepted',
  answer: null,
  at: 5,
} as const

let dir: TempDir
let logs: SessionLog[]
beforeEach(() => {
  dir = tempDir('log')
  logs = []
})
afterEach(() => {
  for (const log of logs) log.close()
  dir.remove()
})

function open(options: Partial<SessionLogOptions> = {}): SessionLog {
  const log = SessionLog.open(dir.path, { redact: createRedactor([]), now: () => 1_000, ...options })
  logs.push(log)
  return log
}

function read(after = 0, limits = everything) {
  const reader = openLogReader(dir.path)
  try {
    return reader.read(after, limits)
  } finally {
    reader.close()
  }
}

describe('the session log', () => {
  it('[LOG-2.1] [LOG-2.2] numbers from 1 without holes, the same for writer and reader', async () => {
    const log = open()
    await Promise.all([log.append(text('one')), log.append([text('two'), text('three')])])
    expect(read().map(({ seq, kind, at, v }) => ({ seq, kind, at, v }))).toEqual(
      [1, 2, 3].map((seq) => ({ seq, kind: 'assistant_text', at: 1_000, v: 1 })),
    )
  })

  it('[LOG-3.2] commits everything of one turn of the event loop at once, with one doorbell', async () => {
    const heads: number[] = []
    const log = open({ committed: (head) => heads.push(head) })
    await Promise.all(Array.from({ length: 300 }, (_, i) => log.append(text(`${i}`))))
    expect(heads).toEqual([300])
  })

  it('[LOG-3.2] puts at most 512 events into one commit', async () => {
    const heads: number[] = []
    const log = open({ committed: (head) => heads.push(head) })
    await Promise.all(Array.from({ length: 1_200 }, (_, i) => log.append(text(`${i}`))))
    expect(heads).toEqual([512, 1_024, 1_200])
  })

  it('[LOG-3.1] an event is readable by another process before its promise resolves', async () => {
    await open().append(text('here'))
    expect(read()).toHaveLength(1)
  })

  it('[LOG-9.2] the body is the text that was hashed', async () => {
    await open().append(text('hello'))
    const [event] = read()
    expect(event?.body).toBe('{"kind":"assistant_text","text":"hello"}')
    expect(event?.hash).toBe(sha256(event?.body ?? ''))
  })

  it('[LOG-9.1] [T85] takes secrets out before anything is written, and counts them', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    await open().append({ kind: 'tool_result', callId: 'k', output: { stdout: `token ${secret}` } })
    expect(parseEventBody(read()[0]?.body ?? '')).toMatchObject({
      output: { stdout: 'token [redacted:github-token]' },
      redacted: 1,
    })
    for (const name of ['log.db', 'log.db-wal']) {
      expect(readFileSync(join(dir.path, name)).includes(secret)).toBe(false)
    }
  })

  it('[LOG-6.1] [LOG-6.4] cuts a body over 64 KiB and keeps the whole, redacted, on the disk', async () => {
    const whole = `begin API_TOKEN=abcdef123456 ${'0123456789'.repeat(10_000)} end`
    await open().append({ kind: 'tool_result', callId: 'k', output: whole })
    const event = parseEventBody(read()[0]?.body ?? '')
    const output = event?.kind === 'tool_result' ? (event.output as Record<string, string>) : {}
    const kept = readFileSync(join(dir.path, 'artifacts', output.artifactId ?? ''), 'utf8')
    expect(kept).toBe(whole.replace('abcdef123456', '[redacted:assignment]'))
    expect(output).toMatchObject({ cut: true, bytes: Buffer.byteLength(kept), sha256: sha256(kept) })
    expect(kept.startsWith(output.head ?? '?') && kept.endsWith(output.tail ?? '?')).toBe(true)
  })

  it('[LOG-6.3] [PERM-7.2] says beside a question that its input was cut; one that only looks cut stays as it was', async () => {
    const like = { cut: true, head: 'ls', tail: '', bytes: 2, sha256: sha256('ls') }
    const long = { content: '0123456789'.repeat(20_000) }
    const asked = [like, long].map((input): SessionEvent => {
      const ask = { ...goldenAsk, input }
      return { kind: 'permission_requested', ask }
    })
    await open().append(asked)
    const asks = read().map(({ body }) => JSON.parse(body).ask)
    expect(asks.map(({ inputCut }) => inputCut)).toEqual([undefined, true])
    expect(asks[0].input).toEqual(like)
    expect(isCutValue(asks[1].input)).toBe(true)
  })

  it('[BAD-1.3] refuses an event that does not keep to its schema, and no number is lost by it', async () => {
    const log = open()
    const bad = { kind: 'tool_use', callId: '', toolName: 'Bash', input: {} } as SessionEvent
    expect(() => log.append(bad)).toThrow()
    expect(await log.append(text('good'))).toBe(1)
  })

  it('[LOG-1.2] a writer whose lease was taken can write nothing more', async () => {
    let fenced = false
    const old = open({ fenced: () => (fenced = true) })
    const taken = open()
    expect(taken.leaseToken).toBe(old.leaseToken + 1)
    await expect(old.append(text('late'))).rejects.toMatchObject({ code: 'FENCED' })
    await taken.append(text('mine'))
    expect({ fenced, seqs: read().map((event) => event.seq) }).toEqual({ fenced: true, seqs: [1] })
  })

  it.each<[string, (log: SessionLog) => void]>([
    ['blanked', (log) => log.blank(1)],
    ['pruned', (log) => log.prune(1, {})],
    [
      'rebased',
      (log) =>
        log.rebase({ held: 0, to: 1 }, 'epoch', () => ({}), { withoutTold: (kept) => [...kept], rebased: () => {} }),
    ],
  ])('[LOG-1.2] is not %s by a holder whose lease somebody else has', async (_how, edits) => {
    const old = open()
    await old.append(text('one'))
    open()
    const before = read()
    expect(() => edits(old)).toThrow(expect.objectContaining({ code: 'FENCED' }))
    expect(read()).toEqual(before)
  })

  it('keeps its logId and goes on after the last number when it is opened again', async () => {
    const first = open()
    await first.append(text('one'))
    first.close()
    const second = open()
    expect({ logId: second.logId, head: second.head }).toEqual({ logId: first.logId, head: 1 })
    expect(await second.append(text('two'))).toBe(2)
  })

  it('[LOG-3] event and inbox change are in one transaction: what refuses one refuses both', async () => {
    const log = open({ stalled: () => {} })
    await log.append([], { received: [inboxRow] })
    const again = log.append(text('twice'), { received: [inboxRow] })
    again.catch(() => {})
    expect(() => log.flush()).toThrow(/UNIQUE/)
    expect(read()).toEqual([])
    logs = []
  })

  it('[CMD-2] answers from another process what became of a command', async () => {
    const log = open()
    await log.append([], { received: [inboxRow] })
    const reader = openLogReader(dir.path)
    expect(reader.answerOf('c1')).toEqual({ state: 'accepted' })
    await log.append([], { moved: [{ commandId: 'c1', state: 'done' }] })
    expect(reader.recentAnswers(10)).toEqual([{ commandId: 'c1', answer: { state: 'done' } }])
    expect(reader.answerOf('unknown')).toBeNull()
    reader.close()
  })

  it('a gap is one row that counts as its whole range', async () => {
    const log = open()
    await log.append(text('one'))
    await log.append({ kind: 'gap', from: 2, to: 9, reason: 'rebase' })
    expect(await log.append(text('ten'))).toBe(10)
    expect(read().map(({ seq, to }) => [seq, to])).toEqual([
      [1, undefined],
      [2, 9],
      [10, undefined],
    ])
  })

  it('a reader gets at least one event, then as many as fit', async () => {
    const log = open()
    await log.append([text('a'.repeat(100)), text('b'.repeat(100)), text('c'.repeat(100))])
    expect(read(0, { maxEvents: 10, maxBytes: 1 }).map((event) => event.seq)).toEqual([1])
    expect(read(0, { maxEvents: 10, maxBytes: 300 }).map((event) => event.seq)).toEqual([1, 2])
    expect(read(2, { maxEvents: 10, maxBytes: 300 }).map((event) => event.seq)).toEqual([3])
  })

  it('[F16] what a refusing disk did not take stays queued, in order, and goes in later', async () => {
    const stalls: boolean[] = []
    const log = open({ stalled: (stalled) => stalls.push(stalled) })
    await log.append(text('one'))
    // Another connection holds the file, which to the writer is a disk that refuses.
    const blocker = new Database(join(dir.path, 'log.db'), { timeout: 0 })
    blocker.exec('BEGIN IMMEDIATE')
    const later = log.append(text('two'))
    expect(() => log.flush()).toThrow()
    blocker.exec('ROLLBACK')
    blocker.close()
    expect(await later).toBe(2)
    expect(read().map((event) => event.seq)).toEqual([1, 2])
  })

  it('tells when more is queued than may be, and when it is gone', async () => {
    const pressure: boolean[] = []
    const log = open({ pressure: (high) => pressure.push(high) })
    await Promise.all(Array.from({ length: 5_000 }, () => log.append(text('flood'))))
    expect(pressure).toEqual([true, false])
  })

  it('[F3] a writer that is killed in mid-burst loses nothing that it acknowledged', async () => {
    const writer = await bundle('testing/burst-writer.ts')
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [writer, dir.path], { stdio: ['ignore', 'pipe', 'inherit'] })
      const closed = new Promise((resolve) => child.once('close', resolve))
      let printed = ''
      child.stdout.on('data', (chunk) => {
        printed += chunk
        // After a few commits, in the middle of the next.
        if (printed.split('\n').length > 5 + round) child.kill('SIGKILL')
      })
      await closed
      const acknowledged = Number(printed.trimEnd().split('\n').at(-1))
      const seqs = read().map((event) => event.seq)
      expect(seqs).toEqual(Array.from(seqs, (_, i) => i + 1))
      expect(seqs.length).toBeGreaterThanOrEqual(acknowledged)
      const db = new Database(join(dir.path, 'log.db'), { readonly: true })
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      // What was written together is there together.
      expect(db.prepare("SELECT value FROM meta WHERE key = 'last'").pluck().get()).toBe(String(seqs.length))
      db.close()
    }
    expect(existsSync(join(dir.path, 'log.db'))).toBe(true)
  })
})
