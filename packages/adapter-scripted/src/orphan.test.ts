// What a player does when its host dies: seen from outside, without the adapter.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { buildPlayer, type TempDir, tempDir } from '@roundhouse/adapter-testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { FromPlayer, ToPlayer } from './script/frames'
import { type Step, script } from './script/script'
import { settingsOf } from './settings'

let dir: TempDir
let child: ChildProcessWithoutNullStreams

beforeEach(async () => {
  dir = tempDir('orphan')
  child = spawn(process.execPath, [await buildPlayer(), '--state', dir.path], { cwd: dir.path, env: {} })
})
afterEach(() => {
  child.kill('SIGKILL')
  dir.remove()
})

const say = (frame: ToPlayer) => child.stdin.write(`${JSON.stringify(frame)}\n`)

/** Plays the steps and resolves with every frame up to the first of this type. */
async function framesUntil(type: FromPlayer['type'], ...steps: Step[]): Promise<FromPlayer[]> {
  say({ type: 'start', settings: settingsOf({ sessionId: 'session' }) })
  say({ type: 'prompt', text: script(steps) })
  const frames: FromPlayer[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const frame = JSON.parse(line) as FromPlayer
    frames.push(frame)
    if (frame.type === type) break
  }
  return frames
}

it('an idle player exits when its stdin ends', async () => {
  await framesUntil('end', { text: 'Hello.' })
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('[PERM-4] an open ask stays unanswered: the call does not run, the turn ends, the player exits', async () => {
  await framesUntil('ask', { tool: 'Write', input: { file_path: 'x', content: 'no' } })
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('a player that hangs on its model exits all the same', async () => {
  await framesUntil('piece', { text: 'For ever', hang: true })
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})

it('[RES-6] a player that was told so lives on without its host, until it is ended', async () => {
  await framesUntil('piece', { orphan: true, text: 'For ever', hang: true })
  child.stdin.end()
  child.stdout.destroy()
  await once(child.stdin, 'close')
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM'])
})

it('a start that is refused is told and exits with 1', async () => {
  say({ type: 'start', resume: 'nobody', settings: settingsOf({ sessionId: 'session' }) })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  expect(JSON.parse(line)).toMatchObject({ type: 'refused', code: 'RESUME_UNAVAILABLE' })
  expect(await once(child, 'exit')).toEqual([1, null])
})
