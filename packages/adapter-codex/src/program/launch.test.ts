import { sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { distrustArgs, type LaunchPlace, planLaunch } from './launch'

const place: LaunchPlace = {
  env: { PATH: '/bin', CODEX_HOME: '/home/ana/.codex', TMPDIR: '/tmp' },
  workDir: '/code',
  realWorkDir: '/code',
  tmpDir: '/private/tmp-1',
  mcpServers: undefined,
  trustProjectConfig: false,
}
const options = { sessionId: 's' }

describe('planLaunch', () => {
  it('without options asks when needed, inside the workspace, and asks a person', () => {
    expect(planLaunch(options, place)).toEqual({
      args: ['app-server', '-c', 'projects={"/code"={trust_level="untrusted"},"/"={trust_level="untrusted"}}'],
      env: {
        PATH: '/bin',
        CODEX_HOME: '/home/ana/.codex',
        TMPDIR: '/private/tmp-1',
        ROUNDHOUSE_CODEX: '/private/tmp-1',
      },
      thread: {
        cwd: '/code',
        approvalPolicy: 'on-request',
        approvalsReviewer: 'user',
        sandbox: 'workspace-write',
        config: { 'sandbox_workspace_write.exclude_slash_tmp': true },
      },
    })
  })

  it('every option that Codex knows reaches it', () => {
    const { thread, env } = planLaunch(
      {
        ...options,
        systemPrompt: 'Be brief.',
        additionalDirs: ['/data'],
        model: 'gpt-5.5',
        mode: 'untrusted',
        sandbox: 'full-access',
        thinking: 'high',
        env: { SESSION_VALUE: '1' },
      },
      { ...place, mcpServers: { demo: { command: 'demo' } } },
    )
    expect(thread).toEqual({
      cwd: '/code',
      approvalPolicy: 'untrusted',
      approvalsReviewer: 'user',
      sandbox: 'danger-full-access',
      model: 'gpt-5.5',
      developerInstructions: 'Be brief.',
      config: {
        'sandbox_workspace_write.exclude_slash_tmp': true,
        'sandbox_workspace_write.writable_roots': ['/data'],
        model_reasoning_effort: 'high',
        mcp_servers: { demo: { command: 'demo' } },
      },
    })
    expect(env.SESSION_VALUE).toBe('1')
  })

  it.each([
    ['allowedTools', { allowedTools: ['x'] }],
    ['disallowedTools', { disallowedTools: ['x'] }],
    ['newSessionId', { newSessionId: 'x' }],
    ['mode', { mode: 'yolo' }],
    ['thinking', { thinking: '--flag' }],
  ])('%s that Codex cannot do is UNSUPPORTED', (field, wrong) => {
    const plan = () => planLaunch({ ...options, ...wrong }, place)
    expect(plan).toThrow(expect.objectContaining({ code: 'UNSUPPORTED', details: { field } }))
  })

  it.each(['CODEX_HOME', 'CODEX_SQLITE_HOME', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR'])(
    'a session cannot set %s: whose configuration is used is the owner’s decision',
    (name) => {
      const plan = () => planLaunch({ ...options, env: { [name]: '/elsewhere' } }, place)
      expect(plan).toThrow(expect.objectContaining({ code: 'POLICY_DENIED' }))
    },
  )

  it('with the policy’s leave the trust of the owner’s configuration stands', () => {
    expect(planLaunch(options, { ...place, trustProjectConfig: true }).args).toEqual(['app-server'])
  })
})

describe.skipIf(sep !== '/')('distrustArgs', () => {
  it('[T64] [A41] [A44] names the folder, where it really is, and every folder above both, each once', () => {
    expect(distrustArgs(['/a/link', '/a/b c'])).toEqual([
      '-c',
      'projects={"/a/link"={trust_level="untrusted"},"/a"={trust_level="untrusted"},"/"={trust_level="untrusted"},"/a/b c"={trust_level="untrusted"}}',
    ])
  })

  it('a folder name cannot break out of its quotes', () => {
    expect(distrustArgs(['/a"]b\\c\n\u007f'])[1]).toContain('"/a\\"]b\\\\c\\n\\u007F"={')
  })
})
