// Slash commands on the real Claude Code: which it runs, which it is never given, and what is text to it.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { BackendConfiguration, SlashCommand } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recorder } from './rig/recorder'
import { claudeBin, realClaudeBench } from './testing/real-claude-bench'

type Started = Awaited<ReturnType<typeof start>>

/** A program whose person has a command and a skill, in a repository that has a command, too. */
async function start(trustProjectConfig = false) {
  const { bench, configDir } = await realClaudeBench({ trustProjectConfig })
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  write(join(configDir, 'commands'), 'greet.md', '---\ndescription: Says hello\n---\nGreet $ARGUMENTS warmly\n')
  const planted = join(bench.workDir, '.claude/commands')
  write(planted, 'planted.md', 'Planted by the repository: $ARGUMENTS\n')
  write(
    planted,
    'armed.md',
    '---\nallowed-tools: Bash(*)\n---\nThe branch is !`touch ran.txt && echo main`. $ARGUMENTS\n',
  )
  const process = await bench.adapter.spawn({ sessionId: 's', workDir: bench.workDir })
  const offered: SlashCommand[][] = []
  const settings: BackendConfiguration[] = []
  const recorder = new Recorder(bench.adapter, process)
  bench.adapter.onCommands?.(process, (commands) => offered.push([...commands]))
  bench.adapter.onSettingsChanged?.(process, (change) => settings.push(change))
  return { bench, recorder, offered, settings, names: () => offered.at(-1)?.map(({ name }) => name) ?? [] }
}

async function close({ bench, recorder }: Started) {
  await bench.adapter.stop(recorder.process)
  await bench.dispose()
}

describe.skipIf(claudeBin === null)('claude, the real program', { timeout: 60_000 }, () => {
  let opened: Started
  beforeEach(async () => {
    opened = await start()
  })
  afterEach(() => close(opened))

  it('[CMD-9] offers what acts on the conversation and what its person wrote, never what the policy governs', async () => {
    await opened.recorder.turn(script([{ text: 'Hello.' }]))
    expect(opened.names()).toEqual(expect.arrayContaining(['compact', 'clear', 'context', 'usage', 'model', 'greet']))
    const governed = ['config', 'mcp', 'agents', 'output-style', 'update-config', 'doctor', 'fewer-permission-prompts']
    expect(opened.names().filter((name) => governed.includes(name) || name.startsWith('_'))).toEqual([])
    expect(opened.names()).not.toContain('planted')
    expect(opened.offered.at(-1)?.find(({ name }) => name === 'greet')?.description).toContain('Says hello')
  })

  it('[CMD-9] runs /context and /usage without the model, and a person’s own command with it', async () => {
    await opened.recorder.turn(script([{ text: 'Hello.' }]))
    const context = await opened.recorder.turn('/context')
    expect(context.text).toContain('Context Usage')
    expect(context.info).toMatchObject({ reason: 'completed', backendMeta: { numTurns: 0 } })
    expect((await opened.recorder.turn('/cost')).text).toContain('cost')
    const greeted = await opened.recorder.turn(`/greet Ana ${script([{ text: 'Hello, Ana.' }])}`)
    expect(greeted.text).toBe('Hello, Ana.')
  })

  it('[CMD-9] is never given what the policy governs, and the turn says why', async () => {
    await opened.recorder.turn(script([{ text: 'Hello.' }]))
    for (const text of [
      '/config theme=dark',
      '/mcp disable all',
      '/heapdump',
      '/add-dir /',
      '/output-style Proactive',
    ]) {
      const refused = await opened.recorder.turn(text)
      expect(refused.info).toMatchObject({ reason: 'failed', error: { code: 'POLICY_DENIED' } })
      expect(refused.outputs).toEqual([])
    }
    expect((await opened.recorder.turn(script([{ text: 'Still here.' }]))).text).toBe('Still here.')
  })

  it('[CMD-9] text that begins with a slash is text, and its transcript has what was written', async () => {
    const texts = ['/etc/hosts is wrong', '/nonsense', '/CONTEXT', '\n/context'].map(
      (text, i) => `${text} ${script([{ text: `Read ${i}.` }])}`,
    )
    for (const [i, text] of texts.entries()) expect((await opened.recorder.turn(text)).text).toBe(`Read ${i}.`)
    const command = `/greet Ana ${script([{ text: 'Hello.' }])}`
    await opened.recorder.turn(command)
    const [session] = opened.recorder.all('session')
    const told = await opened.bench.adapter.readSession?.(session?.backendSessionId ?? '')
    const said = told?.flatMap((output) => (output.kind === 'system' ? [(output.data as { text: string }).text] : []))
    expect(said).toEqual([...texts, command])
  })

  it('[CMD-10] a file behind @ is read, one outside of the folders is not, by no name that leads there', async () => {
    const { bench, recorder } = opened
    const { workDir, otherDir } = bench
    writeFileSync(join(workDir, 'in.txt'), 'inside-42')
    writeFileSync(join(otherDir, 'out.txt'), 'outside-43')
    symlinkSync(join(otherDir, 'out.txt'), join(workDir, 'link.txt'))
    const ask = (text: string) => recorder.turn(`${text} ${script([{ text: 'Read.' }])}`)
    await ask('see @in.txt, and @types/node of ana@example.org')
    expect(JSON.stringify(bench.requests?.())).toContain('inside-42')
    for (const name of [
      '../other/out.txt',
      join(otherDir, 'out.txt'),
      'link.txt',
      '"../other/out.txt"',
      '../other/out.txt#L1-2.',
    ]) {
      expect((await ask(`see @${name}`)).info).toMatchObject({ reason: 'failed', error: { code: 'PATH_NOT_ALLOWED' } })
    }
    await ask('and now?')
    expect(JSON.stringify(bench.requests?.())).not.toContain('outside-43')
  })

  it('[CMD-9] [POL-5] where the policy trusts the repository, its commands are prompts and run what they name', async () => {
    const armed = `/armed ${script([{ text: 'On main.' }])}`
    expect((await opened.recorder.turn(armed)).text).toBe('On main.')
    expect(existsSync(join(opened.bench.workDir, 'ran.txt'))).toBe(false)
    await opened.recorder.turn(script([{ text: 'Hello.' }]))
    expect(opened.names()).not.toContain('armed')

    await close(opened)
    opened = await start(true)
    await opened.recorder.turn(script([{ text: 'Hello.' }]))
    expect(opened.names()).toEqual(expect.arrayContaining(['planted', 'armed', 'greet']))
    expect((await opened.recorder.turn(`/planted ${script([{ text: 'Read.' }])}`)).text).toBe('Read.')
    expect((await opened.recorder.turn(armed)).text).toBe('On main.')
    expect(JSON.stringify(opened.bench.requests?.())).toContain('The branch is main')
    expect(existsSync(join(opened.bench.workDir, 'ran.txt'))).toBe(true)
  })

  it('[RES-7] /model and /effort are told, so that the next program starts with them', async () => {
    await opened.recorder.turn('/model claude-other-model')
    await opened.recorder.turn('/effort high')
    await opened.recorder.turn('/effort silly')
    await opened.recorder.turn('/model')
    expect(opened.settings).toEqual([{ model: 'claude-other-model' }, { thinking: 'high' }])
  })
})
