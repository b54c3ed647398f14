// The instructions of a repository that the policy does not trust, on the real programs: text is read, nothing else is.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { script } from '@roundhouse/adapter-scripted'
import type { AdapterContext } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { claudeEnvironment, codexEnvironment, type Environment } from '../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import type { ModelServer } from '../../../e2e/real-backends/model-servers/server.mjs'
import { wholeMatrix } from '../../../scripts/lib/runs/variation.mjs'
import { Recorder } from './rig/recorder'

const { claude, codex } = await findRealBackends('claude', 'codex')
const programs = {
  claude: {
    bin: 'skipped' in claude ? null : claude.bin,
    startModel: startAnthropicModel,
    surround: claudeEnvironment,
    create: createClaudeAdapter,
  },
  codex: {
    bin: 'skipped' in codex ? null : codex.bin,
    startModel: startResponsesModel,
    surround: codexEnvironment,
    create: createCodexAdapter,
  },
}

const open: Array<() => unknown> = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

interface Place {
  environment: Environment
  write(path: string, text: string): void
  /** All that the model was given, and what the transcript was told besides. */
  turnIn(
    folder: string,
    context?: Partial<AdapterContext>,
    resumeId?: string,
  ): Promise<{ given: string; told: string[]; id: string }>
}

async function repository(kind: keyof typeof programs): Promise<Place> {
  const { startModel, surround, create, bin } = programs[kind]
  const model: ModelServer = await startModel()
  const environment = surround(model.url)
  open.push(environment.remove, model.close)
  const { workDir, env, scratchDir } = environment
  execFileSync('git', ['init', '-q', workDir])
  return {
    environment,
    write(path, text) {
      mkdirSync(dirname(join(workDir, path)), { recursive: true })
      writeFileSync(join(workDir, path), text)
    },
    async turnIn(folder, context = {}, resumeId) {
      const adapter = create({ env, scratchDir, binaryPath: bin ?? '', roots: [workDir], ...context })
      const resume = resumeId === undefined ? {} : { resumeId }
      const spawned = await adapter.spawn({ sessionId: 's', workDir: join(workDir, folder), ...resume })
      const recorder = new Recorder(adapter, spawned)
      await recorder.turn(script([{ text: 'Read.' }]))
      await adapter.stop(spawned)
      const told = recorder.all('output').flatMap(({ output }) => {
        const isTold = output.kind === 'system' && output.subtype === 'project_config_left_out'
        return isTold ? [(output.data as { message: string }).message] : []
      })
      const given = JSON.stringify(model.requests.findLast(({ scripted }) => scripted)?.body)
      return { given, told, id: recorder.all('session')[0]?.backendSessionId ?? '' }
    },
  }
}

/** They run at the start of a program. */
const hooksThatLeave = (file: string) => ({
  SessionStart: [{ hooks: [{ type: 'command', command: `touch ${file}` }] }],
})

const notes = ['GLOBAL-NOTE', 'ROOT-NOTE', 'SUB-NOTE', 'SUB-OVERRIDE', 'DEEP-NOTE']
/** Those that were given, in their order. */
const inOrder = (given: string) =>
  notes.filter((note) => given.includes(note)).sort((a, b) => given.indexOf(a) - given.indexOf(b))

describe.skipIf(programs.codex.bin === null)('codex, the real program', { timeout: 60_000 }, () => {
  async function nested(): Promise<Place> {
    const place = await repository('codex')
    writeFileSync(join(place.environment.env.CODEX_HOME ?? '', 'AGENTS.md'), 'GLOBAL-NOTE')
    place.write('AGENTS.md', 'ROOT-NOTE')
    place.write('sub/AGENTS.md', 'SUB-NOTE')
    place.write('sub/AGENTS.override.md', 'SUB-OVERRIDE')
    place.write('sub/deep/AGENTS.md', 'DEEP-NOTE')
    return place
  }

  it('[POL-5] AGENTS.md reaches the model as in a trusted folder: the same files, in the same order', async () => {
    const place = await nested()
    const untrusted = inOrder((await place.turnIn('sub/deep')).given)
    expect(new Set(untrusted)).toEqual(new Set(['GLOBAL-NOTE', 'ROOT-NOTE', 'SUB-OVERRIDE', 'DEEP-NOTE']))
    const repositorys = (all: string[]) => all.filter((note) => note !== 'GLOBAL-NOTE')
    const trusted = inOrder((await place.turnIn('sub/deep', { trustProjectConfig: true })).given)
    expect(repositorys(untrusted)).toEqual(repositorys(trusted))
  })

  it('[POL-5] neither a link out of the roots nor what the policy denies is read, and secrets are taken out', async () => {
    const place = await nested()
    const { otherDir, workDir } = place.environment
    writeFileSync(join(otherDir, 'secret.md'), 'OUTSIDE-NOTE')
    symlinkSync(join(otherDir, 'secret.md'), join(workDir, 'AGENTS.override.md'))
    place.write('sub/deep/AGENTS.md', 'DEEP-NOTE with hunter2')
    const { given } = await place.turnIn('sub/deep', {
      deny: { tools: [], paths: [join(workDir, 'sub/AGENTS.override.md')] },
      hideSecrets: (text) => text.replaceAll('hunter2', '[hidden]'),
    })
    expect(inOrder(given)).toEqual(expect.arrayContaining(['GLOBAL-NOTE', 'DEEP-NOTE']))
    expect(inOrder(given)).toHaveLength(2)
    expect(given).not.toContain('OUTSIDE-NOTE')
    expect(given).toContain('DEEP-NOTE with [hidden]')
  })

  it('[POL-5] reads as much as the program would, and a link inside the roots', async () => {
    const place = await repository('codex')
    place.write('CLAUDE.md', `ROOT-NOTE ${'x'.repeat(40_000)} TOO-FAR`)
    symlinkSync('CLAUDE.md', join(place.environment.workDir, 'AGENTS.md'))
    const { given } = await place.turnIn('')
    expect(given).toContain('ROOT-NOTE')
    expect(given).not.toContain('TOO-FAR')
  })

  it('[POL-5] what was left out is named once, with the policy key, and does not reach the model', async () => {
    const place = await repository('codex')
    place.write('.codex/config.toml', 'developer_instructions = "LEFT-OUT"\n[mcp_servers.evil]\ncommand = "evil"\n')
    place.write('.codex/rules/evil.rules', 'prefix_rule(pattern=["ls"], decision="allow") # LEFT-OUT')
    place.write('.codex/hooks.json', JSON.stringify({ hooks: hooksThatLeave('LEFT-OUT') }))
    const first = await place.turnIn('')
    expect(first.told).toEqual([
      'Not loaded from this repository: settings and MCP servers (.codex/config.toml), hooks (.codex/hooks.json), command rules (.codex/rules). The policy of the machine lets it in with trustProjectConfig.',
    ])
    expect(first.given).not.toContain('LEFT-OUT')
    expect((await place.turnIn('', {}, first.id)).told).toEqual([])
  })
})

describe.skipIf(programs.claude.bin === null)('claude, the real program', { timeout: 60_000 }, () => {
  const claudeNotes = ['ROOT', 'IMPORTED', 'FURTHER', 'DOT', 'RULE', 'LOCAL', 'SUB', 'LINKED'].map(
    (word) => `${word}-NOTE`,
  )
  const given = (text: string) =>
    claudeNotes.filter((note) => text.includes(note)).sort((a, b) => text.indexOf(a) - text.indexOf(b))

  async function nested(): Promise<Place> {
    const place = await repository('claude')
    place.write('CLAUDE.md', 'ROOT-NOTE, see @docs/more.md and `@docs/code.md`.\n\n```\n@docs/code.md\n```\n')
    place.write('docs/more.md', 'IMPORTED-NOTE @./further.md')
    place.write('docs/further.md', 'FURTHER-NOTE @more.md')
    place.write('docs/code.md', 'CODE-NOTE')
    place.write('.claude/CLAUDE.md', 'DOT-NOTE')
    place.write('.claude/rules/style.md', 'RULE-NOTE')
    place.write('CLAUDE.local.md', 'LOCAL-NOTE')
    place.write('sub/CLAUDE.md', 'SUB-NOTE')
    place.write('AGENTS.md', 'LINKED-NOTE')
    place.write('linked/x', '')
    symlinkSync('../AGENTS.md', join(place.environment.workDir, 'linked/CLAUDE.md'))
    return place
  }

  it.each(wholeMatrix ? ['', 'sub', 'linked'] : ['sub'])(
    '[POL-5] CLAUDE.md reaches the model as in a trusted folder: the same files, in the same order, from "%s"',
    async (folder) => {
      const place = await nested()
      const trusted = given((await place.turnIn(folder, { trustProjectConfig: true })).given)
      expect(trusted.length).toBeGreaterThan(4)
      const untrusted = await place.turnIn(folder)
      expect(given(untrusted.given)).toEqual(trusted)
      expect(untrusted.given).not.toContain('CODE-NOTE')
    },
  )

  it('[POL-5] no link and no import leads out of the roots or to what the policy denies', async () => {
    const place = await nested()
    const { workDir, otherDir } = place.environment
    writeFileSync(join(otherDir, 'secret.md'), 'OUTSIDE-NOTE')
    place.write('CLAUDE.md', `ROOT-NOTE @${join(otherDir, 'secret.md')} @../other/secret.md @docs/out.md @docs/more.md`)
    symlinkSync(join(otherDir, 'secret.md'), join(workDir, 'docs/out.md'))
    symlinkSync(join(otherDir, 'secret.md'), join(workDir, '.claude/rules/out.md'))
    const denied = { tools: [], paths: [join(workDir, 'docs/further.md'), join(workDir, 'CLAUDE.local.md')] }
    const { given: text } = await place.turnIn('', { deny: denied })
    expect(text).not.toContain('OUTSIDE-NOTE')
    expect(given(text).sort()).toEqual(['DOT-NOTE', 'IMPORTED-NOTE', 'ROOT-NOTE', 'RULE-NOTE'])
  })

  it('[POL-5] CLAUDE.md is read unless the policy denies it, up to 64 KiB, and secrets are taken out', async () => {
    const place = await repository('claude')
    place.write('CLAUDE.md', `ROOT-NOTE with hunter2 ${'x'.repeat(70_000)} TOO-FAR`)
    const { given } = await place.turnIn('', { hideSecrets: (text) => text.replaceAll('hunter2', '[hidden]') })
    expect(given).toContain('ROOT-NOTE with [hidden]')
    expect(given).not.toContain('TOO-FAR')
    const denied = { tools: [], paths: [join(place.environment.workDir, 'CLAUDE.md')] }
    expect((await place.turnIn('', { deny: denied })).given).not.toContain('ROOT-NOTE')
  })

  it('[POL-5] what was left out is named once, with the policy key; it neither reaches the model nor runs', async () => {
    const place = await repository('claude')
    place.write('.claude/commands/evil.md', '---\ndescription: LEFT-OUT\n---\nLEFT-OUT')
    place.write('.claude/skills/evil/SKILL.md', '---\nname: evil\ndescription: LEFT-OUT\n---\nLEFT-OUT\n')
    place.write('.claude/agents/evil.md', '---\nname: evil\ndescription: LEFT-OUT\n---\nLEFT-OUT\n')
    const ran = join(place.environment.otherDir, 'hook-ran')
    place.write('.claude/settings.json', JSON.stringify({ hooks: hooksThatLeave(ran) }))
    place.write('.mcp.json', JSON.stringify({ mcpServers: { evil: { command: 'evil' } } }))
    const first = await place.turnIn('')
    expect(first.told).toEqual([
      'Not loaded from this repository: settings and hooks (.claude/settings.json), commands (.claude/commands), agents (.claude/agents), skills (.claude/skills), MCP servers (.mcp.json). The policy of the machine lets it in with trustProjectConfig.',
    ])
    expect(first.given).not.toContain('LEFT-OUT')
    expect((await place.turnIn('', {}, first.id)).told).toEqual([])
    expect(existsSync(ran)).toBe(false)
    await place.turnIn('', { trustProjectConfig: true })
    expect(existsSync(ran)).toBe(true)
  })
})
