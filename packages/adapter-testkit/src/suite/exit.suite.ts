/** How processes end, how a conversation goes on afterwards, and that nothing is left behind. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { canSeeMarks, processesWithMark } from '../rig/leftovers'
import type { Recorder } from '../rig/recorder'
import { isRunning, type Kit, until } from './kit'

export function exitRules(kit: Kit): void {
  const { rule, prompts } = kit

  /** In the middle of an answer. */
  async function streaming(): Promise<Recorder> {
    const prompt = prompts.longStream()
    const recorder = await kit.start(prompt.spawn)
    recorder.adapter.send(recorder.process, prompt.text)
    await recorder.wait('live')
    return recorder
  }

  async function killHard(recorder: Recorder): Promise<void> {
    process.kill(recorder.pid, 'SIGKILL')
    await recorder.wait('exit')
  }

  rule('stop ends an idle process without an exit event, and may be repeated', async () => {
    const { recorder } = await kit.play(prompts.text('Hello.'))
    const pid = recorder.pid
    await recorder.adapter.stop(recorder.process)
    await recorder.adapter.stop(recorder.process)
    expect(recorder.process.isAlive()).toBe(false)
    expect(isRunning(pid)).toBe(false)
    expect(recorder.all('exit')).toEqual([])
  })

  rule('stop ends a process in the middle of an answer without an exit event', async () => {
    const recorder = await streaming()
    const pid = recorder.pid
    await recorder.adapter.stop(recorder.process)
    expect(isRunning(pid)).toBe(false)
    expect(recorder.all('exit')).toEqual([])
  })

  rule('[RES-2] a SIGKILL from outside is one exit with its signal, and the host ends the turn', async () => {
    const recorder = await streaming()
    expect(recorder.process.isAlive()).toBe(true)
    await killHard(recorder)
    await recorder.adapter.stop(recorder.process)
    expect(recorder.all('exit')).toEqual([
      { type: 'exit', code: null, info: { signal: 'SIGKILL', stderrTail: expect.any(String) } },
    ])
    expect(recorder.all('turn_completed')).toEqual([])
    expect(recorder.process.isAlive()).toBe(false)
  })

  rule('[PERM-3] a decision sent to a dead process is REQUEST_GONE', async () => {
    const prompt = prompts.toolThatAsks(await kit.newFile(), 'as asked', 'That was it.')
    const recorder = await kit.start(prompt.spawn)
    recorder.adapter.send(recorder.process, prompt.text)
    const { request } = await recorder.wait('ask')
    await killHard(recorder)
    await expect(recorder.decide(request.callId, { decision: 'allow' })).rejects.toMatchObject({ code: 'REQUEST_GONE' })
  })

  rule('[RES-2] after a SIGKILL the conversation goes on: same id, same memory', async () => {
    const { recorder: first } = await kit.play(prompts.text('The word is heron.'))
    const resumeId = sessionOf(first)
    const longer = prompts.longStream()
    first.adapter.send(first.process, longer.text)
    await first.wait('live')
    await killHard(first)

    const second = await kit.start({ resumeId })
    expect((await second.turn(prompts.text('Back again.').text)).text).toBe('Back again.')
    expect(sessionOf(second)).toBe(resumeId)
    const { userTexts } = await (await kit.bench()).modelView()
    expect(userTexts.join('\n')).toContain('The word is heron.')
  })

  rule('a stopped conversation goes on as well', async () => {
    const { recorder: first } = await kit.play(prompts.text('The word is heron.'))
    await first.adapter.stop(first.process)
    const second = await kit.start({ resumeId: sessionOf(first) })
    expect((await second.turn(prompts.text('Back again.').text)).text).toBe('Back again.')
    expect(sessionOf(second)).toBe(sessionOf(first))
  })

  rule('[RES-5] an id that the backend does not know is RESUME_UNAVAILABLE', async () => {
    for (const resumeId of [randomUUID(), 'no such conversation']) {
      expect(await kit.refusal({ resumeId })).toMatchObject({ code: 'RESUME_UNAVAILABLE' })
    }
  })

  rule('a folder that does not exist is refused, and not taken for a missing program', async () => {
    const { workDir } = await kit.bench()
    expect(await kit.refusal({ workDir: `${workDir}/nowhere` })).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
}

/** Runs last. */
export function leftoverRules(kit: Kit): void {
  if (!canSeeMarks) return
  kit.rule('nothing is left running after the last rule', async () => {
    await kit.endAll()
    await until(() => processesWithMark(kit.mark).length === 0)
    expect(processesWithMark(kit.mark)).toEqual([])
  })
}

function sessionOf(recorder: Recorder): string {
  const [session] = recorder.all('session')
  if (!session) throw new Error('no session was reported')
  return session.backendSessionId
}
