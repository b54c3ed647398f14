// Whose turn ends, on the real Claude Code: it answers what ended in the background in turns of its own.
import { script } from '@roundhouse/adapter-scripted'
import type { BackendOutput } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allowAll, Recorder } from './rig/recorder'
import { claudeBin, realClaudeBench } from './testing/real-claude-bench'

const isSystem = (subtype: string) => (event: { output: BackendOutput }) =>
  event.output.kind === 'system' && event.output.subtype === subtype

describe.skipIf(claudeBin === null)(
  'a prompt that is sent while the program turns to what ended',
  { timeout: 60_000 },
  () => {
    let bench: Awaited<ReturnType<typeof realClaudeBench>>['bench']
    let recorder: Recorder
    beforeEach(async () => {
      bench = (await realClaudeBench()).bench
      recorder = new Recorder(bench.adapter, await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir }))
    })
    afterEach(async () => {
      await bench.adapter.stop(recorder.process)
      await bench.dispose()
    })

    /** A background command has ended at this very moment, and `next` is what the program will say to that. */
    async function ended(...next: object[]): Promise<number> {
      const command = { command: 'sleep 1; echo late', description: 'Wait', run_in_background: true }
      const steps = [{ tool: 'Bash', input: command }, { text: 'Began.' }, ...next]
      await recorder.turn(script(steps as Parameters<typeof script>[0]), allowAll)
      const from = recorder.events.length
      await recorder.wait('output', isSystem('background_finished'), from)
      return from
    }

    it('[LOG-7] is answered in its own turn, behind what the program says to that', async () => {
      await ended({ text: 'It is late.' })
      const turn = await recorder.turn(script([{ text: 'Mine.' }]))
      expect([turn.text, turn.info.reason]).toEqual(['It is late.\nMine.', 'completed'])
      expect(turn.info.cost).toBeGreaterThan(0)
      expect((await recorder.turn(script([{ text: 'Next.' }]))).text).toBe('Next.')
      expect(recorder.all('turn_started')).toEqual([])
    })

    it('[LOG-7] is told by its own end where the program is in the middle of a tool by then', async () => {
      const from = await ended({ tool: 'Bash', input: { command: 'sleep 1; echo other' } }, { text: 'Never said.' })
      const ask = recorder.wait('ask', undefined, from)
      recorder.adapter.send(recorder.process, script([{ text: 'Mine.' }]))
      const turn = recorder.finish(from, allowAll)
      await ask
      expect((await turn).text).toContain('Mine.')
      expect((await recorder.turn(script([{ text: 'Next.' }]))).text).toBe('Next.')
    })

    it('[LOG-7] is ended by an interrupt, which the program first takes for the end of the other', async () => {
      const from = await ended({ text: 'It speaks and', chunk: 4, hang: true })
      recorder.adapter.send(recorder.process, script([{ text: 'Mine, and', chunk: 4, hang: true }]))
      await recorder.wait('live', undefined, from)
      await recorder.adapter.interrupt?.(recorder.process)
      expect(recorder.all('turn_completed', from).map(({ info }) => info.reason)).toEqual(['interrupted'])
      expect((await recorder.turn(script([{ text: 'Next.' }]))).text).toBe('Next.')
    })
  },
)
