import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanups, code, folder, ID, running, runs, SESSION, setup } from './testing/fake-program'
import { commandHooks } from './wire/command-hook'

describe('a start', () => {
  it('[RES-8] tells the id it was given, provisional until its first turn, before any output', async () => {
    const { recorder } = await running({ options: { newSessionId: ID } })
    await recorder.turn('hello')
    expect(recorder.events[0]).toEqual({ type: 'session', backendSessionId: ID })
    expect(recorder.all('session')).toHaveLength(1)
  })

  it('[RES-8] hands a minted id to the program by --session-id, and an id to go on with by --resume', async () => {
    const first = await running()
    const [session] = [await first.recorder.wait('session')]
    expect((await first.recorder.turn('argv')).text).toContain(`--session-id=${session.backendSessionId}`)
    const second = await running({ options: { resumeId: ID, newSessionId: 'ignored' } })
    expect((await second.recorder.turn('argv')).text).toContain(`--resume=${ID}`)
    expect((await second.recorder.wait('session')).backendSessionId).toBe(ID)
  })

  it('[RES-5] a conversation that is gone is RESUME_UNAVAILABLE, also when it was never one', async () => {
    const { adapter, workDir } = await setup({ start: 'die:No conversation found with session ID: x' })
    await expect(adapter.spawn({ sessionId: SESSION, workDir, resumeId: ID })).rejects.toEqual(
      code('RESUME_UNAVAILABLE'),
    )
    await expect(adapter.spawn({ sessionId: SESSION, workDir, resumeId: 'my notes' })).rejects.toEqual(
      code('RESUME_UNAVAILABLE'),
    )
  })

  it('that fails says what the program said', async () => {
    const { adapter, workDir } = await setup({ start: 'die:Segmentation fault' })
    await expect(adapter.spawn({ sessionId: SESSION, workDir })).rejects.toMatchObject({
      code: 'BACKEND_CRASHED',
      message: 'Segmentation fault',
    })
  })

  it('that never answers ends with BACKEND_TIMEOUT, and so does the process', async () => {
    const { adapter, workDir } = await setup({ start: 'mute', limits: { startMs: 50 } })
    await expect(adapter.spawn({ sessionId: SESSION, workDir })).rejects.toEqual(code('BACKEND_TIMEOUT'))
  })

  it('without the program, the folder or a sound id is refused by its name', async () => {
    const { adapter, workDir } = await setup()
    await expect(adapter.spawn({ sessionId: SESSION, workDir: join(workDir, 'none') })).rejects.toEqual(
      code('INVALID_ARGUMENT'),
    )
    await expect(adapter.spawn({ sessionId: SESSION, workDir, newSessionId: 'abc' })).rejects.toEqual(
      code('INVALID_ARGUMENT'),
    )
    await expect(adapter.spawn({ sessionId: SESSION, workDir, model: 'a\0b' })).rejects.toEqual(
      code('INVALID_ARGUMENT'),
    )
    const missing = await setup({ context: { binaryPath: join(workDir, 'none') } })
    await expect(missing.adapter.spawn({ sessionId: SESSION, workDir })).rejects.toEqual(code('BACKEND_UNAVAILABLE'))
  })

  it('gives the program the context and the options, and nothing of our own environment', async () => {
    process.env.ROUNDHOUSE_LEAK = 'leaked'
    cleanups.push(async () => delete process.env.ROUNDHOUSE_LEAK)
    const { recorder, workDir } = await running({ options: { env: { EXTRA: '1' }, maxOutputTokens: 8000 } })
    const env = JSON.parse((await recorder.turn('env')).text)
    expect(env).toMatchObject({
      EXTRA: '1',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
      ROUNDHOUSE_SESSION: SESSION,
      DISABLE_AUTOUPDATER: '1',
    })
    expect(Object.keys(env)).not.toContain('ROUNDHOUSE_LEAK')
    expect((await recorder.turn('cwd')).text).toBe(workDir)
  })

  it('puts the system prompt and, without trust in the project, its notes above the conversation', async () => {
    const workDir = await folder()
    await writeFile(join(workDir, 'CLAUDE.md'), 'Use tabs.\n')
    const introduction = async (trustProjectConfig: boolean) => {
      const { adapter } = await setup({ context: { trustProjectConfig } })
      const started = await adapter.spawn({ sessionId: SESSION, workDir, systemPrompt: 'Be brief.' })
      cleanups.push(() => started.kill())
      return adapter.query?.(started, 'accountInfo', {})
    }
    const appended = (text: string) => ({
      asked: { subtype: 'initialize', forwardSubagentText: true, appendSystemPrompt: text, hooks: commandHooks },
    })
    expect(await introduction(false)).toEqual(appended('Be brief.\n\nNotes of this project (CLAUDE.md):\n\nUse tabs.'))
    expect(await introduction(true)).toEqual(appended('Be brief.'))
  })

  it('follows no link to another place instead of the project notes', async () => {
    const { adapter, workDir } = await setup()
    const secret = join(await folder(), 'secret')
    await writeFile(secret, 'secret')
    await symlink(secret, join(workDir, 'CLAUDE.md'))
    const started = await adapter.spawn({ sessionId: SESSION, workDir })
    cleanups.push(() => started.kill())
    expect(await adapter.query?.(started, 'accountInfo', {})).toEqual({
      asked: { subtype: 'initialize', forwardSubagentText: true, hooks: commandHooks },
    })
  })

  it('[LOG-4] is told before what the program prints in the same breath', async () => {
    const { recorder } = await running({ start: 'talkative', rawFrames: true })
    await recorder.turn('hello')
    expect(recorder.events.slice(0, 2).map(({ type }) => type)).toEqual(['session', 'output'])
    expect(recorder.events[1]).toMatchObject({ output: { kind: 'raw', payload: { subtype: 'news' } } })
  })
})

describe('a turn', () => {
  it('a resumed process reckons its first cost from what the program starts with', async () => {
    const { recorder } = await running({ options: { resumeId: ID } })
    const { info } = await recorder.turn('hello')
    expect(info).toMatchObject({ cost: 0.5, duration: 1, reason: 'completed' })
  })

  it('survives lines that are no frames', async () => {
    const { recorder } = await running()
    const { outputs, text } = await recorder.turn('garbage')
    expect(text).toBe('hello')
    expect(outputs.filter(({ kind }) => kind === 'raw')).toEqual([
      { kind: 'raw', backend: 'claude', payload: 'this is no JSON' },
      { kind: 'raw', backend: 'claude', payload: '[1]' },
    ])
  })

  it('[LOG-8] of a line over the limit keeps the ends as raw, and reports it', async () => {
    const { recorder } = await running({ limits: { maxLineBytes: 1_000_000 } })
    const { outputs, text } = await recorder.turn('long line')
    expect(text).toBe('hello')
    const bytes = expect.any(Number)
    const ends = { lineOf: bytes, head: expect.stringMatching(/^.{4096}$/), tail: expect.stringMatching(/^.{4096}$/) }
    expect(outputs.slice(0, 2)).toEqual([
      { kind: 'raw', backend: 'claude', payload: ends },
      { kind: 'system', subtype: 'line_dropped', data: { bytes } },
    ])
  })

  it('does not take a second prompt, nor one for a process that is gone', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'work for ever')
    expect(() => adapter.send(process, 'hello')).toThrowError(code('INTERNAL'))
    await recorder.output('assistant_text')
    await process.kill()
    expect(() => adapter.send(process, 'hello')).toThrowError(code('BACKEND_CRASHED'))
  })

  it('is steered while it runs, and only then', async () => {
    const { adapter, process, recorder } = await running()
    expect(await adapter.steer?.(process, 'too early')).toBe(false)
    adapter.send(process, 'work for ever')
    expect(await adapter.steer?.(process, 'do that')).toBe(true)
    expect((await recorder.finish(0)).text).toBe('working\nsteered: do that')
    await process.kill()
    expect(await adapter.steer?.(process, 'too late')).toBe(false)
  })

  it('[CMD-5.27] begins with a steer before its answer, also where both come in one piece', async () => {
    const { adapter, process, recorder } = await running()
    await recorder.turn('tells its prompts')
    const order: string[] = []
    adapter.onTurnStarted?.(process, () => order.push('turn'))
    adapter.onOutput(process, (output) => order.push(output.kind === 'assistant_text' ? output.text : output.kind))
    adapter.send(process, 'work for ever')
    await recorder.output('assistant_text', recorder.events.length)
    const steered = adapter
      .steer?.(process, 'late', undefined, () => order.push('begins'))
      .then(() => order.push('taken'))
    await steered
    expect(order).toEqual(['working', 'turn', 'begins', 'steered: late', 'taken'])
  })

  it('asks and is answered over the pipe', async () => {
    const { recorder } = await running()
    const { text, asks } = await recorder.turn('ask', () => ({ decision: 'allow' }))
    expect(asks).toHaveLength(1)
    expect(JSON.parse(text)).toEqual({
      subtype: 'success',
      request_id: 'R',
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    })
  })

  it('an answer to a process that is gone is REQUEST_GONE', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'ask')
    await recorder.wait('ask')
    await process.kill()
    await expect(recorder.decide('call', { decision: 'allow' })).rejects.toEqual(code('REQUEST_GONE'))
  })
})

describe('an interrupt', () => {
  it('ends the turn and resolves with it; idle it does nothing', async () => {
    const { adapter, process, recorder } = await running()
    await adapter.interrupt?.(process)
    adapter.send(process, 'work for ever')
    await recorder.output('assistant_text')
    await adapter.interrupt?.(process)
    expect(recorder.all('turn_completed').map(({ info }) => info.reason)).toEqual(['interrupted'])
    expect((await recorder.turn('hello')).info.reason).toBe('completed')
  })

  it('that came before the turn had begun is repeated', async () => {
    const { adapter, process, recorder } = await running({ start: 'absent-minded', limits: { interruptMs: 5_000 } })
    adapter.send(process, 'work for ever')
    await adapter.interrupt?.(process)
    expect(recorder.all('turn_completed').map(({ info }) => info.reason)).toEqual(['interrupted'])
    expect(process.isAlive()).toBe(true)
  })

  it('that is still on its way holds the next prompt back, which it would end', async () => {
    const { adapter, process, recorder } = await running({ start: 'slow to answer' })
    adapter.send(process, 'work for ever')
    await adapter.interrupt?.(process)
    adapter.send(process, 'hello')
    // The fake answers the interrupt only after this question, which tells the last prompt it was given.
    expect(await adapter.query?.(process, 'mcpServerStatus', {})).toEqual(['work for ever'])
    expect((await recorder.wait('turn_completed', ({ info }) => info.reason === 'completed')).info.cost).toBe(2.5)
  })

  it('that the program does not obey ends it by signal: the turn is interrupted and the exit is told', async () => {
    const { adapter, process, recorder } = await running({ start: 'deaf', limits: { interruptMs: 30 } })
    adapter.send(process, 'work for ever')
    await recorder.output('assistant_text')
    await adapter.interrupt?.(process)
    const types = recorder.events.map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['turn_completed', 'exit'])
    expect(recorder.all('turn_completed')[0]?.info).toMatchObject({ reason: 'interrupted' })
    expect(process.isAlive()).toBe(false)
  })
})

describe('the end of a process', () => {
  it('that nobody asked for is told once, with signal and without an invented end of the turn', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'half a line, then death')
    const exit = await recorder.wait('exit')
    expect(exit).toEqual({ type: 'exit', code: null, info: { signal: 'SIGKILL', stderrTail: '' } })
    expect([process.isAlive(), recorder.all('exit').length, recorder.all('turn_completed').length]).toEqual([
      false,
      1,
      0,
    ])
  })

  it('comes after its last words', async () => {
    const { adapter, process, recorder } = await running()
    adapter.send(process, 'a last word, then death')
    const exit = await recorder.wait('exit')
    expect(exit).toEqual({ type: 'exit', code: 7, info: { signal: null, stderrTail: 'something broke\n' } })
    expect(recorder.all('output').map(({ output }) => output)).toEqual([{ kind: 'assistant_text', text: 'last word' }])
  })

  it('keeps the last 4 KiB of stderr, in whole characters', async () => {
    const { adapter, process, recorder } = await running({ start: 'chatty stderr' })
    adapter.send(process, 'a last word, then death')
    const { info } = await recorder.wait('exit')
    expect(Buffer.byteLength(info?.stderrTail ?? '')).toBeLessThanOrEqual(4096)
    expect(info?.stderrTail).toMatch(/^é+the end\nsomething broke\n$/)
  })

  it('on stop or kill is not told, and everybody who waits for it resolves', async () => {
    const { adapter, process, recorder } = await running()
    await Promise.all([adapter.stop(process), process.kill()])
    await process.kill()
    expect([process.isAlive(), recorder.all('exit')]).toEqual([false, []])
  })

  it('is forced on a process that ignores SIGTERM', async () => {
    const { process, recorder } = await running({ start: 'stubborn', limits: { killGraceMs: 30 } })
    await process.kill()
    expect([process.isAlive(), recorder.all('exit')]).toEqual([false, []])
  })

  it.runIf(global.process.platform === 'linux')('takes along what the program had started', async () => {
    const { process, recorder } = await running()
    const pid = Number((await recorder.turn('hire')).text)
    expect(runs(pid)).toBe(true)
    await process.kill()
    expect(runs(pid)).toBe(false)
  })

  it('rejects what waits for an answer, and what is asked afterwards', async () => {
    const { adapter, process } = await running({ start: 'silent' })
    const waiting = expect(adapter.query?.(process, 'mcpServerStatus', {})).rejects.toEqual(code('BACKEND_CRASHED'))
    await process.kill()
    await waiting
    await expect(adapter.query?.(process, 'mcpServerStatus', {})).rejects.toEqual(code('BACKEND_CRASHED'))
  })
})
