/** Real Claude Code starts sessions on two machines, waits for them and reads them; a child asks the person; the tree is stopped. */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { missingReason, type Surroundings, surround } from '../support/processes/backends'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { Subject } from '../support/rigs/subject'

const missing = await missingReason('claude')
const tool = (name: string, input: object = {}) => ({ tool: `mcp__roundhouse__${name}`, input })

describe.skipIf(missing !== null)('[claude] a tree of sessions', () => {
  let rig: Rig
  let around: Surroundings
  let other: AgentProcess
  beforeAll(async () => {
    rig = await startRig({ kind: 'claude' })
    around = await surround('claude')
    other = new AgentProcess(freshFolder('agent'), around.env)
    const backends = { claude: { path: around.path }, codex: { path: '/nowhere/codex' } }
    other.writePolicy({ roots: [around.workDir], envAllow: around.envAllow, backends })
    const { token, hubKeyFingerprint: fingerprint, hubUrl: url } = await rig.rest.makeEnrollmentToken({})
    await other.join(rig.system.hub, 'second', { token, fingerprint, url })
    await other.start()
  })
  afterAll(async () => {
    await other.stop()
    await rig.dispose()
    await around.dispose()
    rmSync(other.home, { recursive: true, force: true, maxRetries: 5 })
  })

  const results = (session: Subject) =>
    session.of('tool_result').map(({ output }) => JSON.stringify(output).replaceAll('\\', ''))
  const turns = (session: Subject, count: number) =>
    until(`${count} turns to be over`, () => session.of('turn_completed').length >= count)
  const listed = async () => (await rig.rest.sessions()).items

  it('[TREE-1.1] [TREE-2.1] [TREE-2.7] [TREE-3.1] [TREE-5.1] is told that it may not, until a person allows it; then starts two on two machines, waits, reads both; a command of a child asks the person; all end together', async () => {
    const early = [tool('spawn_session', { prompt: 'Go.' }), { text: 'Before.' }]
    const root = new Subject(rig, await rig.begin(early, { sandbox: 'workspace-write' }))
    const { sessionId } = root
    await turns(root, 1)
    expect(results(root)[0]).toContain('"code":"SPAWNING_OFF"')
    expect((await listed()).filter(({ parentId }) => parentId === sessionId)).toEqual([])
    await rig.rest.rename(sessionId, { title: 'Root' })
    await rig.rest.setSpawning(sessionId, { on: true, budgetUsd: 50 })
    const file = path.join(rig.system.workDir, 'by-the-child')
    const shell = { tool: 'Bash', input: { command: `echo x > ${file}`, description: 'Write a file' } }
    const here = { prompt: scriptOf([shell, { text: 'The child here is done.' }]), title: 'Here' }
    const there = {
      prompt: scriptOf([{ text: 'The child there is done.' }]),
      title: 'There',
      machine: 'second',
      workDir: around.workDir,
    }
    await rig.prompt(sessionId, [
      tool('spawn_session', here),
      tool('spawn_session', there),
      tool('wait_sessions'),
      { text: 'Waited.' },
    ])
    const children = await until('two children', async () => {
      const found = (await listed()).filter(({ parentId }) => parentId === sessionId)
      return found.length === 2 && found
    })
    const idOf = (title: string) => children.find((child) => child.title === title)?.sessionId ?? ''
    expect(children.map(({ rootId }) => rootId)).toEqual([sessionId, sessionId])
    expect(new Set(children.map(({ agentId }) => agentId)).size).toBe(2)
    expect(children.find(({ title }) => title === 'There')?.agentName).toBe('second')

    // Nobody else than the person lets a child run its command, and the parent waits for that.
    const ask = await rig.asked(idOf('Here'))
    expect(existsSync(file)).toBe(false)
    expect(root.of('turn_completed')).toHaveLength(1)
    await rig.allow(ask)
    await turns(root, 2)
    expect(existsSync(file)).toBe(true)
    expect(root.of('permission_requested')).toEqual([])
    const waited = results(root).at(-1) ?? ''
    expect(waited).toContain('"timedOut":false')

    await rig.prompt(sessionId, [
      tool('read_session', { sessionId: idOf('Here') }),
      tool('read_session', { sessionId: idOf('There') }),
      tool('send_message', { sessionId: idOf('There'), text: scriptOf([{ text: 'Heard of my parent.' }]) }),
      tool('wait_sessions', { sessionIds: [idOf('There')] }),
      tool('read_session', { sessionId: idOf('There') }),
      { text: 'Read.' },
    ])
    await turns(root, 3)
    const read = results(root).slice(-5)
    expect(read[0]).toContain('The child here is done.')
    expect(read[1]).toContain('The child there is done.')
    expect(read[4]).toContain('Heard of my parent.')
    // The model of the child read whose text it was.
    expect(JSON.stringify(around.asked())).toContain(`from session ${sessionId}`)

    const stopped = await rig.rest.stopTree(sessionId)
    expect(new Set(stopped.sessionIds)).toEqual(new Set([sessionId, ...children.map((child) => child.sessionId)]))
    await until('all to have ended', async () => {
      const tree = (await listed()).filter((one) => one.sessionId === sessionId || one.rootId === sessionId)
      return tree.length === 3 && tree.every(({ status }) => status.status === 'ended')
    })
    await rig.agree(sessionId)
  })
})
