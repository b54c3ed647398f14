/** A terminal goes on with a session's conversation, on the real programs with scripted models. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment } from '../../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { type HostView, HostWorld } from '../../testing/host-world'
import { wholeMatrix } from '../../testing/variation'

const found = await findRealBackends('claude', 'codex')
const programs = {
  claude: {
    found: found.claude,
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    goOn: (id: string, prompt: string) => ['--resume', id, '-p', prompt],
  },
  codex: {
    found: found.codex,
    startModel: startResponsesModel,
    surround: codexEnvironment,
    goOn: (id: string, prompt: string) => ['exec', '--skip-git-repo-check', 'resume', id, prompt],
  },
} as const

const kinds = ['claude', 'codex'] as const
/** Several starts of a program. */
const patience = { timeout: 60_000 }

describe.each(kinds)('[RES-9] the conversation of a session in a terminal: %s', patience, (kind) => {
  /** What is the same on both is played on one of them; `npm run matrix` plays it on both. */
  const on = (one: (typeof kinds)[number]) => wholeMatrix || kind === one
  const { startModel, surround, goOn, ...program } = programs[kind]
  const bin = 'bin' in program.found ? program.found.bin : ''
  let model: Awaited<ReturnType<typeof startModel>>
  let place: ReturnType<typeof surround>
  let world: HostWorld

  beforeEach(async () => {
    model = await startModel()
    place = surround(model.url)
    world = await HostWorld.create()
  })
  afterEach(async () => {
    await world.dispose()
    await model.close()
    place.remove()
  })

  const open = (): Promise<HostView> => world.open({ backends: { [kind]: { binaryPath: bin } } }, place.env)
  const answer = (text: string) => script([{ text }])
  const asked = () => JSON.stringify(model.requests.findLast(({ scripted }) => scripted)?.body)
  const texts = () => world.of('assistant_text').map(({ text }) => text)
  const untold = () =>
    world
      .of('system')
      .filter(({ subtype }) => subtype === 'transcript_untold')
      .map(({ data }) => (data as { message: string }).message)
  const marked = () => world.of('assistant_text').map(({ recovered }) => recovered === true)

  async function begun(): Promise<HostView> {
    const host = await open()
    await host.run(world.create({ backend: kind }))
    await host.run(world.prompt(answer('Here.')))
    return host
  }

  async function leave(host: HostView): Promise<void> {
    await host.client.stop('shutdown')
    await host.gone()
  }

  /** Resolves to what the terminal says, and rejects where it refuses. */
  function inTerminal(text: string): Promise<string> {
    const id = world.of('session_started').at(-1)?.backendSessionId ?? ''
    return new Promise((resolve, reject) => {
      const child = execFile(
        bin,
        goOn(id, answer(text)),
        { cwd: world.workDir, env: place.env },
        (error, stdout, stderr) => (error ? reject(new Error(stderr, { cause: error })) : resolve(stdout)),
      )
      child.stdin?.end()
    })
  }

  /** The program's own record of the conversation. */
  function transcriptFile(): string {
    const id = world.of('session_started').at(-1)?.backendSessionId ?? ''
    const names = readdirSync(place.root, { recursive: true, encoding: 'utf8' })
    const name = names.find((one) => one.endsWith('.jsonl') && path.basename(one).includes(id))
    if (name === undefined) throw new Error('there is no transcript')
    return path.join(place.root, name)
  }

  /** Claude Code with this conversation, which stays open. */
  function openClaude() {
    const id = world.of('session_started').at(-1)?.backendSessionId ?? ''
    const form = ['-p', '--input-format=stream-json', '--output-format=stream-json', '--verbose']
    const child = spawn(bin, ['--resume', id, ...form], {
      cwd: world.workDir,
      env: place.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const lines = createInterface({ input: child.stdout })
    return {
      /** Resolves when its turn is over. */
      says: (text: string) =>
        new Promise<void>((resolve) => {
          const heard = (line: string) => {
            if ((JSON.parse(line) as { type?: string }).type !== 'result') return
            lines.off('line', heard)
            resolve()
          }
          lines.on('line', heard)
          const message = { role: 'user', content: [{ type: 'text', text: answer(text) }] }
          child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`)
        }),
      close: () => child.kill(),
    }
  }

  /** What Codex's own interface does; resolves when it has the conversation. */
  function openInTerminal(): Promise<ChildProcess> {
    const threadId = world.of('session_started').at(-1)?.backendSessionId
    const child = spawn(bin, ['app-server'], { cwd: world.workDir, env: place.env, stdio: ['pipe', 'pipe', 'ignore'] })
    const clientInfo = { name: 'terminal', title: 'Terminal', version: '1' }
    const calls = [
      { id: 1, method: 'initialize', params: { clientInfo } },
      { method: 'initialized' },
      { id: 2, method: 'thread/resume', params: { threadId } },
    ]
    child.stdin.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
    return new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if ((JSON.parse(line) as { id?: number }).id === 2) resolve(child)
      })
    })
  }

  it.skipIf(bin === '' || !on('claude'))(
    'has the two turns of a terminal once, in order, and the model gets them',
    async () => {
      await leave(await begun())
      await inTerminal('There.')
      await inTerminal('There again.')
      const host = await open()
      expect(texts()).toEqual(['Here.', 'There.', 'There again.'])
      await host.run(world.prompt(answer('Here again.')))
      await leave(host)
      await leave(await open())
      expect(texts()).toEqual(['Here.', 'There.', 'There again.', 'Here again.'])
      expect(marked()).toEqual([false, true, true, false])
      expect(world.of('turn_started').map(({ elsewhere }) => elsewhere === true)).toEqual([false, true, true, false])
      expect(untold()).toEqual([])
      expect(asked()).toMatch(/There\..*There again\..*Here again\./)
    },
  )

  it.skipIf(bin === '' || !on('codex'))(
    'loses nothing where its transcript was cut in half, says so once, and goes on',
    async () => {
      await leave(await begun())
      await inTerminal('There.')
      await leave(await open())
      const whole = readFileSync(transcriptFile())
      writeFileSync(transcriptFile(), whole.subarray(0, whole.length / 2))
      await leave(await open())
      await leave(await open())
      expect(texts()).toEqual(['Here.', 'There.'])
      expect(untold()).toEqual([expect.stringMatching(/record of this conversation is shorter than it was:/)])
      const host = await open()
      await host.run(world.prompt(answer('Here again.')))
      await leave(host)
      await leave(await open())
      expect(texts()).toEqual(['Here.', 'There.', 'Here again.'])
      expect(untold()).toHaveLength(1)
      expect(world.of('turn_completed').at(-1)).toMatchObject({ reason: 'completed' })
    },
  )

  it.skipIf(bin === '' || kind !== 'claude')('has no silent branch where our program was alive meanwhile', async () => {
    const host = await begun()
    await inTerminal('There.')
    await host.run(world.prompt(answer('Here again.')))
    expect(texts()).toEqual(['Here.', 'There.', 'Here again.'])
    expect(marked()).toEqual([false, true, false])
    expect(asked()).toMatch(/There\..*Here again\./)
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
  })

  it.skipIf(bin === '' || kind !== 'claude' || !wholeMatrix)(
    'says that it has two branches, before the next prompt, where a terminal wrote during a turn, and where one that stayed open goes on behind it',
    async () => {
      const host = await begun()
      const terminal = openClaude()
      try {
        await terminal.says('There.')
        const touch = { tool: 'Bash', input: { command: 'touch made', description: 'Make a file' } }
        await host.client.command(world.prompt(script([touch, { text: 'Here again.' }])))
        const { requestId, procId, digest } = await host.until(() => host.state.requests[0])
        await inTerminal('Meanwhile.')
        await host.run(world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'allow' }))
        await host.until(() => untold().length === 1)
        expect(untold()[0]).toMatch(/two branches.*elsewhere is not shown here.*model does not know/)

        await terminal.says('There again.')
        await host.until(() => untold().length === 2)
        expect(untold()[1]).toMatch(/without the answer above.*two branches.*model does not know/)
        await host.run(world.prompt(answer('Here at last.')))
        expect(texts()).toEqual(['Here.', 'There.', 'Here again.', 'There again.', 'Here at last.'])
        const known = ['Here again.', 'Meanwhile.', 'There again.'].filter((text) => asked().includes(text))
        expect(known).toHaveLength(1)
        expect(untold()).toHaveLength(2)
      } finally {
        terminal.close()
      }
    },
  )

  it.skipIf(bin === '' || kind !== 'codex')('is refused to a terminal while our program has it', async () => {
    await begun()
    await expect(inTerminal('There.')).rejects.toThrow(/active writer/)
  })

  it.skipIf(bin === '' || kind !== 'codex')(
    'is refused to us while a terminal has it, before a prompt is sent',
    async () => {
      await leave(await begun())
      const terminal = await openInTerminal()
      try {
        const calls = model.requests.length
        const host = await open()
        await host.run(world.prompt(answer('Here again.')))
        const error = { code: 'ALREADY_RUNNING', message: expect.stringMatching(/open in another Codex/) }
        expect(world.of('turn_completed').at(-1)).toMatchObject({ reason: 'failed', error })
        expect(model.requests).toHaveLength(calls)
      } finally {
        terminal.kill()
      }
    },
  )
})
