/**
 * What the real Claude Code would run without asking, in a folder that somebody else filled: only what reads the session's own files
 * runs unasked; a link that leads out, a pattern that meets it, and a repository that names programs are questions for a person.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { SessionSettings } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const missing = await missingReason('claude')

let rig: Rig
let repository: string
let mark: string
beforeAll(async () => {
  if (missing !== null) return
  rig = await startRig({ kind: 'claude' })
  const { workDir, agent } = rig.system
  repository = path.join(workDir, 'clone')
  mark = path.join(workDir, '..', `mark-${process.pid}`)
  mkdirSync(repository)
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })
  git('init', '-q')
  writeFileSync(path.join(repository, 'a.txt'), 'inside-42\n')
  symlinkSync(path.relative(repository, agent.home), path.join(repository, 'vendor'))
  git('add', '-A')
})
afterAll(() => rig?.dispose())

/** One command of the model: whether a person is asked, and what the model was given of all so far. */
async function run(command: string, more: Partial<SessionSettings> = {}): Promise<{ asks: boolean; given: string }> {
  const [machine] = (await rig.rest.agents()).items
  const steps = [{ tool: 'Bash', input: { command, description: 'Look' } }, { text: 'Seen.' }]
  const settings = { ...more, backend: 'claude', workDir: repository }
  const { sessionId } = await rig.rest.createSession({
    agentId: machine?.agentId ?? '',
    settings,
    prompt: script(steps),
  })
  const over = await until('the end of the turn or a question', async () => {
    const { session, events } = await rig.rest.snapshot(sessionId)
    const ended = events.some(({ kind }) => kind === 'turn_completed')
    const asks = session.requests.some(({ outcome }) => outcome === 'open')
    return (ended || asks) && { asks }
  })
  const given = JSON.stringify(rig.system.around.asked())
  await rig.rest.stop(sessionId)
  return { ...over, given }
}

describe.skipIf(missing !== null)('[PERM-9] [PERM-10] claude, in a repository of somebody else', () => {
  it.each(
    wholeMatrix
      ? ['ls', 'cat a.txt | head -n 3', 'grep -rn inside a.txt', 'git status']
      : ['cat a.txt | head -n 3', 'git status'],
  )('runs %s unasked', async (command) => {
    expect(await run(command)).toMatchObject({ asks: false, given: expect.stringContaining('tool_result') })
  })

  it.each(
    wholeMatrix
      ? ['grep -R privateKey .', 'cat v*/state/identity.json', 'cat vendor/state/identity.json']
      : ['grep -R privateKey .', 'cat v*/state/identity.json'],
  )('[POL-4] gives nothing of what a link leads to: %s', async (command) => {
    const { given } = await run(command)
    expect(given).not.toContain('privateKey\\": \\"')
    expect(given).not.toContain('hubPublicKey')
  })

  it('[T91] asks before git runs what a copied configuration names', async () => {
    const program = path.join(repository, '.git', 'x')
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`)
    chmodSync(program, 0o755)
    appendFileSync(path.join(repository, '.git', 'config'), '[core]\n\tfsmonitor = .git/x\n')
    for (const command of ['git status', 'git diff', 'git show']) expect((await run(command)).asks).toBe(true)
    expect(existsSync(mark)).toBe(false)
  })

  it('[PERM-11.7] asks also where a rule allows the command, as long as the repository names a program', async () => {
    const { agent } = rig.system
    const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
    agent.writePolicy({ ...policy, acceptHubRules: true })
    const allowedTools = ['Bash(git status:*)']
    writeFileSync(path.join(repository, '.git', 'x'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    const config = path.join(repository, '.git', 'config')
    const text = readFileSync(config, 'utf8').split('[core]\n\tfsmonitor')[0] ?? ''
    writeFileSync(config, `${text}[core]\n\tfsmonitor = .git/x\n`)
    expect((await run('git status', { allowedTools })).asks).toBe(true)
    expect(existsSync(mark)).toBe(false)
    writeFileSync(config, text)
    // Its options are on no list of what only reads: the rule alone allows it.
    expect((await run('git status --ignored', { allowedTools })).asks).toBe(false)
  })
})
