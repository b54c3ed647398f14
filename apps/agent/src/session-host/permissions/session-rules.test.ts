// The rules of a session (PERM-12), on the real host.
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, script } from '@roundhouse/adapter-scripted'
import type { PermissionConfig, SessionSettings } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const run = (command: string): Step => ({ tool: 'Bash', input: { command }, output: 'ok', ask: true })
const write = (file: string): Step => ({ tool: 'Write', input: { file_path: file, content: 'x' } })
const question: Step = {
  tool: 'AskUserQuestion',
  input: { questions: [{ question: 'Which?', header: 'Which', options: [{ label: 'A' }, { label: 'B' }] }] },
}

async function start(rules: PermissionConfig, steps: Step[], more: Partial<SessionSettings> = {}): Promise<HostView> {
  const policy = { ...world.launch.policy, acceptHubRules: true }
  const host = await world.open({ policy })
  await host.client.command(world.create({ permissionConfig: rules, ...more }, script([...steps, { text: 'Done.' }])))
  return host
}

/** What became of each request: its outcome, and by which rule. */
const resolved = () =>
  world.of('permission_resolved').map(({ outcome, by, rule, pattern }) => ({
    outcome,
    by: by && ('grantId' in by ? [by.rule, by.label] : by.name),
    ...(rule === undefined ? {} : { rule, pattern }),
  }))
const allowed = (label: string) => ({ outcome: 'applied', by: ['session', label] })
const denied = (pattern: string) => ({ outcome: 'refused', by: undefined, rule: 'permissionConfig', pattern })

/** Ana refuses whatever a person is asked about, until the turn is over. */
async function finish(host: HostView): Promise<void> {
  const turns = world.of('turn_completed').length
  const refused = new Set<string>()
  for (;;) {
    const isOver = () => world.of('turn_completed').length > turns
    const open = () => host.state.requests.find(({ requestId }) => !refused.has(requestId))
    const ask = await host.until(() => (isOver() ? 'over' : open()))
    if (ask === 'over') return
    const { requestId, procId, digest } = ask
    refused.add(requestId)
    await host.run(world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'deny' }))
  }
}

/** Plays these calls, and says what became of each. */
async function verdicts(rules: PermissionConfig, steps: Step[], more: Partial<SessionSettings> = {}) {
  await finish(await start(rules, steps, more))
  return resolved()
}
const person = { outcome: 'applied', by: 'Ana' }

describe('[PERM-12.1] [PERM-12.5] [PERM-12.12] the rules of a session', () => {
  it('allow by a pattern, deny by a pattern, ask about the rest, the transcript names the pattern, and they hold after a restart of the host', async () => {
    const rules = { allowPatterns: ['Bash(pnpm:*)', 'Write'], disallowPatterns: ['Bash(rm:*)'] }
    const host = await start(rules, [
      run('pnpm install --frozen-lockfile'),
      run('rm -r build'),
      write('a.txt'),
      run('curl x'),
    ])
    await finish(host)
    expect(resolved()).toEqual([allowed('Bash(pnpm:*)'), denied('Bash(rm:*)'), allowed('Write'), person])
    expect(existsSync(join(world.workDir, 'a.txt'))).toBe(true)
    const results = world.of('tool_result').map(({ isError = false, output }) => [isError, String(output)])
    expect(results[1]).toEqual([true, expect.stringContaining('The rules of this session deny it (Bash(rm:*))')])
    await host.client.stop('shutdown')
    await host.gone()
    const next = await world.open({ policy: { ...world.launch.policy, acceptHubRules: true } })
    await next.client.command(world.prompt(script([run('rm x'), { text: 'Done.' }])))
    await finish(next)
    expect(resolved().at(-1)).toEqual(denied('Bash(rm:*)'))
  })

  it('[PERM-12.9] cover a line together, and name each pattern, but not another command behind theirs, what is not plain, or a place outside the folders', async () => {
    symlinkSync(world.folder('elsewhere'), join(world.workDir, 'out'))
    const commands = ['test; curl x', 'test $(curl x)', 'test > /tmp/x', 'add /etc', 'add out'].map(
      (rest) => `pnpm ${rest}`,
    )
    const steps = [...commands, 'pnpmx test'].map(run)
    const rules = { allowPatterns: ['Bash(pnpm:*)', 'Bash(echo:*)'] }
    const found = await verdicts(rules, [run('pnpm test && echo done'), ...steps])
    expect(found).toEqual([allowed('Bash(pnpm:*), Bash(echo:*)'), ...steps.map(() => person)])
  })

  it('[PERM-12.10] cover with a whole tool only what stays in the folders and can be read', async () => {
    const steps = [run('deploy all'), write('/tmp/outside.txt'), run('deploy /etc'), run('deploy $X')]
    const found = await verdicts({ allowPatterns: ['Bash', 'Write'] }, steps)
    expect(found).toEqual([allowed('Bash'), person, person, person])
  })

  it('[PERM-12.5] [PERM-12.8] deny before they allow and before what only reads, and allow nothing where a denied command may hide', async () => {
    const rules: PermissionConfig = {
      allowPatterns: ['Bash'],
      disallowPatterns: ['Bash(rm:*)', 'Bash(cat:*)'],
      defaultDecision: 'allow',
    }
    const found = await verdicts(rules, [run('cat a.txt'), run("sh -c 'rm x'"), run('$X')])
    expect(found).toEqual([denied('Bash(cat:*)'), person, person])
  })

  it.each<[NonNullable<PermissionConfig['defaultDecision']>, unknown]>([
    ['allow', allowed('everything that no rule denies')],
    ['deny', denied('everything that no rule allows')],
    ['prompt', person],
  ])(
    '[PERM-12.1] [PERM-12.11] by their default, %s, decide what no pattern names, and no question',
    async (defaultDecision, expected) => {
      expect(await verdicts({ defaultDecision }, [run('curl x'), question])).toEqual([expected, person])
    },
  )

  it('[PERM-12.11] allow nothing in a session that may only read', async () => {
    const found = await verdicts({ allowPatterns: ['Bash'] }, [run('deploy all')], { sandbox: 'read-only' })
    expect(found).not.toContainEqual(allowed('Bash'))
  })

  it('[PERM-12.6] what the policy denies stays denied', async () => {
    const secret = world.folder('work/secret')
    const policy = { ...world.launch.policy, acceptHubRules: true, denyPaths: [secret] }
    const host = await world.open({ policy })
    const settings: Partial<SessionSettings> = {
      permissionConfig: { allowPatterns: ['Write'], defaultDecision: 'allow' },
    }
    await host.client.command(world.create(settings, script([write('secret/a.txt'), { text: 'Done.' }])))
    await finish(host)
    expect(resolved()).toEqual([{ outcome: 'refused', by: undefined, rule: 'denyPaths', pattern: undefined }])
  })
})
