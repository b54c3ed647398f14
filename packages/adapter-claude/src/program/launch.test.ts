import type { SpawnOptions } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type LaunchInput, planLaunch, requireWorkDir } from './launch'

const ID = '11111111-1111-4111-8111-111111111111'

function plan(options: Partial<SpawnOptions> = {}, input: Partial<LaunchInput> = {}) {
  return planLaunch({
    options: { sessionId: 's1', ...options },
    env: { PATH: '/bin' },
    workDir: '/code',
    session: { kind: 'new', id: ID },
    trustProjectConfig: false,
    ...input,
  })
}

const always = [
  '-p',
  '--input-format=stream-json',
  '--output-format=stream-json',
  '--verbose',
  '--include-partial-messages',
  '--permission-prompt-tool=stdio',
]

/** What an option adds to the arguments of a plain launch. */
function added(options: Partial<SpawnOptions>): string[] {
  const plain = plan().args
  return plan(options).args.filter((arg) => !plain.includes(arg))
}

describe('the arguments', () => {
  it('ask a person before every write where nothing else is said, and never a classifier', () => {
    expect(plan().args).toEqual([
      ...always,
      '--permission-mode=default',
      '--settings={"disableAutoMode":"disable","useAutoModeDuringPlan":false}',
      `--session-id=${ID}`,
      '--setting-sources=user',
    ])
  })

  it('[RES-8] go on with a conversation by --resume, and start one under a given id', () => {
    expect(plan({}, { session: { kind: 'resume', id: ID } }).args).toContain(`--resume=${ID}`)
    expect(plan({}, { session: { kind: 'resume', id: ID } }).args.join(' ')).not.toContain('--session-id')
    expect(plan().args.join(' ')).not.toContain('--resume')
  })

  it('[T64] [A41] [A43] leave out what the repository configures unless the policy trusts it', () => {
    expect(plan().args).toContain('--setting-sources=user')
    expect(plan({}, { trustProjectConfig: true }).args.join(' ')).not.toContain('--setting-sources')
  })

  it('carry every option to its own flag', () => {
    expect(added({ model: 'opus' })).toEqual(['--model=opus'])
    expect(added({ mode: 'plan' })).toEqual(['--permission-mode=plan'])
    expect(added({ thinking: 'xhigh' })).toEqual(['--effort=xhigh'])
    expect(added({ additionalDirs: ['/lib', 'sub', '../up'] })).toEqual([
      '--add-dir=/lib',
      '--add-dir=/code/sub',
      '--add-dir=/up',
    ])
    expect(added({ allowedTools: ['Bash(git *)', 'Read', ' '] })).toEqual([
      '--allowedTools=Bash(git *)',
      '--allowedTools=Read',
    ])
    expect(added({ disallowedTools: ['WebFetch'] })).toEqual(['--disallowedTools=WebFetch'])
    expect(added({ mcpConfigPath: 'mcp.json' })).toEqual(['--mcp-config=/code/mcp.json'])
  })

  it("[POL-1] [A43] carry what the machine's policy denies, in the program's own spelling", () => {
    const denied = plan({}, { deny: { tools: ['WebFetch'], paths: ['/code/secret'] } }).args
    expect(denied.filter((arg) => arg.startsWith('--disallowedTools='))).toEqual([
      '--disallowedTools=WebFetch',
      '--disallowedTools=Read(//code/secret)',
      '--disallowedTools=Read(//code/secret/**)',
      '--disallowedTools=Edit(//code/secret)',
      '--disallowedTools=Edit(//code/secret/**)',
    ])
  })

  it('keep a value that looks like a flag a value', () => {
    const nasty = '--dangerously-skip-permissions'
    const { args } = plan({
      model: nasty,
      allowedTools: [nasty],
      disallowedTools: [nasty],
      additionalDirs: [nasty],
      mcpConfigPath: nasty,
    })
    expect(args).not.toContain(nasty)
    expect(args.slice(-5)).toEqual([
      `--model=${nasty}`,
      `--add-dir=/code/${nasty}`,
      `--allowedTools=${nasty}`,
      `--disallowedTools=${nasty}`,
      `--mcp-config=/code/${nasty}`,
    ])
  })

  it('never pass a configuration in the place of its path', () => {
    expect(added({ mcpConfigPath: '{"mcpServers":{}}' })).toEqual(['--mcp-config=/code/{"mcpServers":{}}'])
  })

  it('hold no text of the person or of the role: those go over the pipe', () => {
    const { args } = plan({ systemPrompt: 'secret', roleId: 'r', useBrainCore: true, initialUserInput: 'hello' })
    expect(args).toEqual(plan().args)
  })
})

describe('the sandbox levels', () => {
  const noEditing = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'].map((tool) => `--disallowedTools=${tool}`)

  it('read-only has no editing tools, and no rule spares a writing tool the question', () => {
    expect(added({ sandbox: 'read-only' })).toEqual(noEditing)
    const allowedTools = ['Bash', 'Bash(git *)', 'Read,Write(x)', 'Read', 'mcp__docs__find']
    expect(added({ sandbox: 'read-only', allowedTools })).toEqual([
      '--allowedTools=Read',
      '--allowedTools=mcp__docs__find',
      ...noEditing,
    ])
  })

  it('workspace-write is what no sandbox means', () => {
    expect(plan({ sandbox: 'workspace-write' })).toEqual(plan())
    expect(added({ sandbox: 'workspace-write', allowedTools: ['Bash'] })).toEqual(['--allowedTools=Bash'])
  })

  it('full-access counts the whole machine as workspace and still asks', () => {
    expect(added({ sandbox: 'full-access', additionalDirs: ['/lib'] })).toEqual(['--add-dir=/lib', '--add-dir=/'])
    expect(plan({ sandbox: 'full-access' }).args).toContain('--permission-mode=default')
  })

  it('bypass needs both the sandbox full-access and the mode by name', () => {
    expect(plan({ sandbox: 'full-access', mode: 'bypassPermissions' }).args).toContain(
      '--permission-mode=bypassPermissions',
    )
    for (const sandbox of [undefined, 'workspace-write', 'read-only'] as const) {
      expect(() => plan({ sandbox, mode: 'bypassPermissions' })).toThrowError(
        expect.objectContaining({ code: 'UNSUPPORTED' }),
      )
    }
  })

  it('what cannot be kept is refused, not changed in silence', () => {
    expect(() => plan({ sandbox: 'read-only', mode: 'acceptEdits' })).toThrowError(
      expect.objectContaining({ code: 'UNSUPPORTED' }),
    )
    for (const mode of ['auto', 'nonsense', '']) {
      expect(() => plan({ mode })).toThrowError(expect.objectContaining({ code: 'UNSUPPORTED' }))
    }
    expect(() => plan({ thinking: 'off' })).toThrowError(expect.objectContaining({ code: 'UNSUPPORTED' }))
  })
})

describe('the environment', () => {
  it('is the given one with the quiet settings below it, and the mark of the session', () => {
    expect(plan().env).toEqual({
      PATH: '/bin',
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1',
      ROUNDHOUSE_SESSION: 's1',
    })
  })

  it('the options win over the owner, the owner over the quiet settings', () => {
    const env = { A: 'owner', B: 'owner', DISABLE_TELEMETRY: '0' }
    const merged = plan({ env: { B: 'option' } }, { env }).env
    expect([merged.A, merged.B, merged.DISABLE_TELEMETRY]).toEqual(['owner', 'option', '0'])
  })

  it('maxOutputTokens limits the answer, whatever the environment says', () => {
    const env = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1' }
    expect(plan({ maxOutputTokens: 8000, env }).env.CLAUDE_CODE_MAX_OUTPUT_TOKENS).toBe('8000')
  })

  it('[CMD-11.3] maxThinkingTokens limits the thinking; null leaves it to the model', () => {
    expect(plan({ maxThinkingTokens: 2_048 }).env.MAX_THINKING_TOKENS).toBe('2048')
    expect(plan({ maxThinkingTokens: null }).env).not.toHaveProperty('MAX_THINKING_TOKENS')
  })

  it('[A25] brings the CLI back to its folder after each command, whatever the environment says', () => {
    const env = { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '0' }
    expect(plan({ env }, { env }).env.CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR).toBe('1')
  })

  it('does not make the CLI take itself for a nested one', () => {
    const env = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SSE_PORT: '1',
      CLAUDE_CODE_SESSION_ID: 'x',
    }
    expect(plan({}, { env: { ...env, PATH: '/bin' } }).env).toEqual(plan().env)
  })
})

describe('the work folder', () => {
  it('is absolute, and the scratch folder where none is given', () => {
    expect(requireWorkDir({ sessionId: 's', workDir: '/a' }, '/scratch')).toBe('/a')
    expect(requireWorkDir({ sessionId: 's' }, '/scratch')).toBe('/scratch')
    expect(() => requireWorkDir({ sessionId: 's', workDir: 'a' }, '/s')).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})
