/** The home of an agent is moved to another place, without it, while sessions in it run. */
import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { isRunning, processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
let moved: AgentProcess
beforeEach(async () => {
  rig = await startRig()
})
afterEach(async () => {
  await moved.stop()
  await rig.dispose()
  rmSync(path.dirname(moved.home), { recursive: true, force: true })
})

const asking = [{ text: 'First.' }, { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Over.' }]

it('[RES-6] [STORE-5] a session whose home was moved says where it was; its program is stopped from the page, and it goes on', async () => {
  const { agent } = rig.system
  const sessionId = await rig.begin(asking)
  await rig.asked(sessionId)
  const programs = processesOf(sessionId)
  const before = agent.sessionFolder(sessionId)
  await agent.kill()
  const home = path.join(freshFolder('moved'), 'home')
  renameSync(agent.home, home)
  moved = new AgentProcess(home, rig.system.around.env)
  moved.launch()
  await until('it to be said', () => moved.output.includes(`was started in ${before}. That folder has been moved`))
  await moved.connected()

  await rig.rest.endProcess(sessionId)
  await until('the programs to end', () => !programs.some(isRunning))
  const kinds = () => eventsOf(logOf(moved.sessionFolder(sessionId))).map(({ kind }) => kind)
  await until('the end to be recorded', () => kinds().includes('process_exited'))
  expect(kinds().filter((kind) => kind === 'assistant_text')).toHaveLength(1)

  await rig.prompt(sessionId, [{ text: 'Here.' }])
  await until(
    'the next turn',
    () => rig.stored(sessionId) > 0 && kinds().filter((kind) => kind === 'turn_completed').length === 2,
  )
  const ends = eventsOf(logOf(moved.sessionFolder(sessionId))).flatMap((event) =>
    event.kind === 'turn_completed' ? [event.reason] : [],
  )
  expect(ends).toEqual(['process_exited', 'completed'])
  expect(kinds().filter((kind) => kind === 'session_started')).toHaveLength(2)
}, 120_000)
