/**
 * What a program or a disk says at once is more than one frame of the link, or one line between host and daemon, may hold:
 * nobody else of the machine feels it, and the session goes on.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const MB = 1_000_000

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const said = (line: string) => rig.system.agent.output.split(line).length - 1

describe('one piece of live text', () => {
  it.each([
    ...(wholeMatrix ? ([['is larger than a frame of the link', 3 * MB]] as const) : []),
    ['is larger than a frame of the link and than a line between host and daemon', 12 * MB],
  ] as const)(
    '[FLOW-8] [LOG-5] that %s: its end is shown while it is written, its host lives and no link breaks',
    async (_what, bytes) => {
      const [lost, died] = [said('connection was lost'), said('its session host died')]
      const sessionId = await rig.begin([{ text: 'Ready.' }])
      const neighbour = await rig.begin([{ text: 'Here.' }])
      await Promise.all([rig.agree(sessionId), rig.agree(neighbour)])
      const host = rig.system.agent.hostPid(sessionId)
      await rig.prompt(sessionId, [
        { flood: { bytes, line: bytes, as: 'delta' } },
        { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } },
        { text: 'Over.' },
      ])
      const ask = await rig.asked(sessionId)
      const block = await until('the end of the text', async () => {
        const { openBlocks } = await rig.rest.snapshot(sessionId, 1)
        return openBlocks.find(({ text, length }) => text !== '' && length > bytes - 100)
      })
      expect(block.text.length).toBeGreaterThan(100_000)
      await rig.prompt(neighbour, [{ text: 'Next door.' }])
      await rig.agree(neighbour)
      await rig.allow(ask)
      await rig.agree(sessionId)
      expect(rig.system.agent.hostPid(sessionId)).toBe(host)
      expect([said('connection was lost'), said('its session host died')]).toEqual([lost, died])
    },
  )
})

describe('a folder with 500 folders of long names', () => {
  it('[FLOW-8.8] [CMD-6] is listed as far as a frame holds it, and says that there are more', async () => {
    const lost = said('connection was lost')
    let folder = rig.system.workDir
    for (const letter of 'abcdefghij') folder = path.join(folder, letter.repeat(240))
    mkdirSync(folder, { recursive: true })
    for (let n = 0; n < 500; n++) mkdirSync(path.join(folder, `${n}`.padStart(3, '0').padEnd(240, 'x')))
    const [agent] = (await rig.rest.agents()).items
    const answer = await rig.rest.folders(agent?.agentId ?? '', folder)
    expect(answer.folders.length).toBeGreaterThan(100)
    expect(answer.folders.length).toBeLessThan(500)
    expect(answer.complete).toBe(false)
    expect(said('connection was lost')).toBe(lost)
  })
})
