/**
 * What no log can hold: an output of 50 MB, a line of 200 MB. It is cut where everybody sees it, no process grows without
 * bound, and nobody else notices.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { CutValue } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf, progressOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { peakMib } from '../support/processes/process-cost'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

const MB = 1_000_000

let rig: Rig
afterEach(() => rig.dispose())

const start = async () => {
  rig = await startRig()
}

/** Plays the steps in one session, while another asks for a permission; resolves when both are over. */
async function beside(steps: readonly object[]) {
  const { hub, agent } = rig.system
  const other = await rig.begin([{ text: 'Ready.' }])
  const sessionId = await rig.begin([{ text: 'Ready.' }])
  await Promise.all([rig.agree(other), rig.agree(sessionId)])
  const host = agent.hostPid(sessionId) ?? 0
  await rig.prompt(sessionId, [...steps, { text: 'Over.' }])
  const begun = performance.now()
  await rig.prompt(other, [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }])
  const ask = await rig.asked(other)
  const asked = Math.round(performance.now() - begun)
  await rig.allow(ask)
  await until(
    'the turn to be over',
    async () => (await rig.rest.snapshot(sessionId, 1)).session.lastLine === 'Over.',
    60_000,
  )
  const peak = { hub: peakMib(hub.pid), daemon: peakMib(agent.pid), host: peakMib(host) }
  console.log(`the other was asked after ${asked} ms; peak MiB ${JSON.stringify(peak)}`)
  const folder = agent.sessionFolder(sessionId)
  await until('the log to be quiet', () => !progressOf(folder).inTurn)
  await rig.agree(other)
  expect(agent.hostPid(sessionId)).toBe(host)
  return { folder, peak, events: eventsOf(logOf(folder)) }
}

describe('a tool that gives 50 MB', () => {
  variation(
    '[LOG-6.1] [LOG-6.4] [I9] leaves its ends and its size in the log, the whole on the machine, and nobody waits',
    async () => {
      // One letter that is not Latin doubles what a text takes in memory.
      const line = 'viel Arbeit, kein Spiel … und eine lange Zeile ✓\n'
      await start()
      const whole = line.repeat(Math.floor((50 * MB) / Buffer.byteLength(line)))
      writeFileSync(path.join(rig.system.workDir, 'huge.txt'), whole)
      const { events, folder, peak } = await beside([{ tool: 'Read', input: { file_path: 'huge.txt' } }])

      const output = events.flatMap((event) => (event.kind === 'tool_result' ? [event.output] : []))[0] as CutValue
      expect(output).toEqual({
        cut: true,
        head: whole.slice(0, 8_192),
        tail: whole.slice(-4_096),
        bytes: Buffer.byteLength(whole),
        sha256: createHash('sha256').update(whole).digest('hex'),
        artifactId: expect.any(String),
      })
      expect(readFileSync(path.join(folder, 'artifacts', output.artifactId ?? ''), 'utf8') === whole).toBe(true)
      expect(peak.hub).toBeLessThan(400)
      expect(peak.daemon).toBeLessThan(150)
      expect(peak.host).toBeLessThan(700)
    },
  )
})

describe('a line of 200 MB', () => {
  it('[T30] [LOG-8.3] [I9] is let go but for its ends; the log says so, and the turn goes on', async () => {
    await start()
    const { events, folder, peak } = await beside([{ flood: { bytes: 200 * MB, line: 200 * MB, as: 'garbage' } }])
    const dropped = events.flatMap((event) =>
      event.kind === 'system' && event.subtype === 'line_dropped' ? [event.data as { bytes: number }] : [],
    )
    expect(dropped).toEqual([{ bytes: expect.any(Number) }])
    const bytes = dropped[0]?.bytes ?? 0
    expect(bytes).toBeGreaterThan(199 * MB)
    const ring = readFileSync(path.join(folder, 'raw.ring'), 'utf8')
    expect(ring).toContain(`{"lineOf":${bytes},"head":"1 xxxx`)
    expect(ring.length).toBeLessThan(20_000)
    expect(events.at(-1)).toMatchObject({ kind: 'turn_completed', reason: 'completed' })
    expect(peak.host).toBeLessThan(300)
    expect(peak.daemon).toBeLessThan(150)
  })
})
