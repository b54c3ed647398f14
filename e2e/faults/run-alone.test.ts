// `roundhouse-agent run` of the production build, without a hub, as a script or a person at a terminal uses it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AgentEvent } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { agentMain, BridgeRig } from '../support/rigs/bridge-rig'
import { scriptOf } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: BridgeRig
const started = new Set<ChildProcess>()
beforeAll(async () => {
  rig = await BridgeRig.start({ kind: 'scripted' })
})
afterAll(() => {
  for (const child of started) child.kill('SIGTERM')
  return rig.dispose()
})

interface Started {
  child: ChildProcess
  said: { out: string; err: string }
  ended: Promise<{ out: string; err: string; code: number | null }>
}

/** The command alone: it has no terminal. */
function start(args: readonly string[], input: string | Buffer = ''): Started {
  const child = spawn(process.execPath, [agentMain, ...args], {
    cwd: rig.workDir,
    env: rig.env,
    stdio: 'pipe',
    detached: true,
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  started.add(child)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return { child, said, ended: once(child, 'close').then(([code]) => ({ ...said, code: code as number | null })) }
}
const run = (...args: string[]) => start(['run', ...args, '--backend', 'scripted']).ended
const eventsOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => AgentEvent.parse(JSON.parse(line)))
const nothingLeft = () => {
  expect(rig.processes()).toEqual([])
  expect(rig.folders()).toEqual([])
}
const write = { tool: 'Write', input: { file_path: 'a.txt', content: 'one\u202etwo' } }

describe('a run without a hub', () => {
  it('[EXEC-6.1] prints what the program says, and nothing else, on stdout', async () => {
    const ran = await run(scriptOf([{ text: 'Hello.' }, { text: 'Bye.' }]))
    expect(ran).toEqual({ out: 'Hello.\n\nBye.\n', err: '', code: 0 })
    nothingLeft()
  })

  it('[EXEC-6.1] reads the prompt from stdin, and prints its events as lines of JSON, and what was denied on stderr', async () => {
    const { ended } = start(['run', '-', '--json', '--backend', 'scripted'], scriptOf([write, { text: 'Done.' }]))
    const { out, err, code } = await ended
    const events = eventsOf(out)
    expect(events.map(({ type }) => type)).toEqual(['tool_use', 'tool_result', 'text', 'done'])
    expect(err).toBe('roundhouse-agent: not allowed: Write: Nobody is here to allow it.\n')
    const denials = [{ tool: 'Write', reason: 'Nobody is here to allow it.' }]
    expect(events.at(-1)).toMatchObject({ result: { text: 'Done.', aborted: false, permissionDenials: denials } })
    expect(code).toBe(0)
  })

  it('[EXEC-6.2] denies what the program asks for, and says so', async () => {
    const ran = await run(scriptOf([write, { text: 'Done.' }]))
    const err = 'roundhouse-agent: not allowed: Write: Nobody is here to allow it.\n'
    expect(ran).toEqual({ out: 'Done.\n', err, code: 0 })
  })

  it('[EXEC-6.2] keeps to what the policy denies by name', async () => {
    const denied = path.join(rig.workDir, 'secrets')
    mkdirSync(denied, { recursive: true })
    rig.writePolicy({ denyPaths: [denied] })
    const input = { path: 'secrets/key', content: 'words' }
    const { err } = await run(scriptOf([{ tool: 'Write', input }, { text: 'Done.' }]))
    expect(err).toContain('not allowed: Write: The policy of this machine forbids it (denyPaths).')
    rig.writePolicy({})
  })

  it('[EXEC-6.3] ends with 1 and the code where the program fails', async () => {
    const { out, err, code } = await run(scriptOf([{ text: 'Oh.' }, { crash: 3 }]))
    expect([out, code]).toEqual(['Oh.\n', 1])
    expect(err).toContain('[BACKEND_CRASHED]')
    nothingLeft()
  })

  const hanging = scriptOf([{ text: 'Begun.' }, { text: 'Thinking ', hang: true }])
  const begun = ({ said }: Started) => until('the first words', () => said.out.includes('Begun.'))

  // Ctrl-C at a terminal is SIGINT.
  it.each(
    wholeMatrix
      ? ([
          ['SIGINT', 130],
          ['SIGTERM', 143],
        ] as const)
      : ([['SIGINT', 130]] as const),
  )('[EXEC-6.4] is stopped by %s, and leaves no process', async (signal, code) => {
    const ran = start(['run', hanging, '--json', '--backend', 'scripted'])
    await begun(ran)
    ran.child.kill(signal)
    const ended = await ran.ended
    expect(ended.code).toBe(code)
    expect(eventsOf(ended.out).at(-1)).toMatchObject({ type: 'done', result: { aborted: true, text: 'Begun.' } })
    nothingLeft()
  })

  it('[EXEC-6.4] whose reader goes away ends', async () => {
    const ran = start([
      'run',
      scriptOf([{ count: { to: 10_000, delayMs: 20, prefix: 'word' } }]),
      '--backend',
      'scripted',
    ])
    await until('the first words', () => ran.said.out.includes('word'))
    ran.child.stdout?.destroy()
    expect((await ran.ended).code).toBe(1)
    nothingLeft()
  })

  it('[EXEC-6.4] that is killed leaves no process, and the next run removes its folder', async () => {
    const ran = start(['run', hanging, '--backend', 'scripted'])
    await begun(ran)
    expect(rig.folders()).toHaveLength(1)
    ran.child.kill('SIGKILL')
    await ran.ended
    await rig.gone()
    expect((await run(scriptOf([{ text: 'Hello.' }]))).code).toBe(0)
    nothingLeft()
  })
})

describe('[EXEC-6.5] a terminal', () => {
  /** At a terminal of its own, whose person types this once they are asked. */
  async function atTerminal(typed: string, steps: readonly object[]) {
    const command = [process.execPath, agentMain, 'run', '"$PROMPT"', '--ask', '--backend', 'scripted'].join(' ')
    const env = { ...rig.env, PROMPT: scriptOf(steps), SHELL: '/bin/sh' }
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: rig.workDir, env, stdio: 'pipe' })
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const before = shown.includes('[y/N]')
      shown += text
      if (!before && shown.includes('[y/N]')) child.stdin.write(typed)
    })
    const [code] = await once(child, 'close')
    return { shown: shown.replaceAll('\r\n', '\n'), code }
  }

  it('asks with the whole input, in which nothing hides, and `y` lets it run', async () => {
    const { shown, code } = await atTerminal('y\n', [write, { text: 'Done.\u001b[2J' }])
    expect(shown).toContain(
      'The program wants to use Write:\n{\n  "file_path": "a.txt",\n  "content": "one\\u{202e}two"\n}',
    )
    expect(shown).toContain('Done.?[2J\n')
    expect(shown).not.toContain('not allowed')
    expect(code).toBe(0)
  })

  variation('denies with anything else', async () => {
    const { shown } = await atTerminal('perhaps\n', [write, { text: 'Done.' }])
    expect(shown).toContain('not allowed: Write: The person at the terminal denied it.')
  })

  it('is required for `--ask`', async () => {
    const { err, code } = await run('hello', '--ask')
    expect([err, code]).toEqual([
      'roundhouse-agent: --ask needs a terminal, and there is none. [INVALID_ARGUMENT]\n',
      2,
    ])
  })
})

describe('[EXEC-6.6] what is wrong is a sentence with a code, and nothing starts', () => {
  const mb10 = 'x'.repeat(10_485_760)
  it.each<[string, string[], string | Buffer, string, number]>([
    ['a program that there is not', ['hi', '--backend', 'nonsense'], '', 'BACKEND_UNAVAILABLE', 1],
    ['a program that the policy does not allow', ['hi', '--backend', 'codex'], '', 'POLICY_DENIED', 1],
    ['a folder outside the roots', ['hi', '--folder', '/etc'], '', 'PATH_NOT_ALLOWED', 1],
    ['a folder that there is not', ['hi', '--folder', '/nowhere/at/all'], '', 'PATH_NOT_ALLOWED', 1],
    ['10 MB of prompt', ['-'], mb10, 'PROMPT_TOO_LARGE', 1],
    ['an empty prompt', ['-'], ' \n', 'INVALID_ARGUMENT', 2],
    ['a prompt that is no text', ['-'], Buffer.from([0xc3, 0x28]), 'INVALID_ARGUMENT', 2],
    ['an unknown option', ['hi', '--fast'], '', 'INVALID_ARGUMENT', 2],
  ])('%s', async (_what, args, input, code, exit) => {
    const backend = args.includes('--backend') ? [] : ['--backend', 'scripted']
    const ended = await start(['run', ...args, ...backend], input).ended
    expect([ended.out, ended.code]).toEqual(['', exit])
    expect(ended.err).toMatch(new RegExp(`^roundhouse-agent: .*\\[${code}\\]\\n$`))
    nothingLeft()
  })

  it('a machine that is paused', async () => {
    writeFileSync(path.join(rig.home, 'agent', 'config', 'paused'), '')
    expect((await run('hi')).err).toContain('[POLICY_DENIED]')
    expect(await rig.agent('resume')).toBeTruthy()
  })
})
