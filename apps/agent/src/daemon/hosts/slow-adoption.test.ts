/** A daemon starts on what the one before it left, and one of these sessions takes long to be settled. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { expect, it } from 'vitest'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'

const [slow, other] = [sessionName('s1'), sessionName('s2')]
const machine = DaemonBench.each()

it('[LINK-2.6] [LINK-2.7] [RES-6] it is reported when it is settled, and keeps neither the machine nor another session away', async () => {
  await machine.start()
  const waits = script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }])
  for (const sessionId of [slow, other]) {
    await machine.create(sessionId, waits)
    await machine.has(sessionId, 'permission_requested')
  }
  await machine.daemon.leave()
  process.kill(machine.record(slow).pid, 'SIGKILL')
  const { hub, bench } = machine
  const reports = hub.reports.length
  // The next host of the session starts and says nothing.
  const silent = path.join(bench.root, 'silent-host.mjs')
  writeFileSync(silent, 'setInterval(() => {}, 1_000_000)')
  await machine.start({ hostEntry: silent })
  expect(bench.lines.filter((line) => line.includes('could not be taken over'))).toEqual([])
  const told = hub.reports.slice(reports).flat()
  expect(told.map(({ sessionId }) => sessionId)).toEqual([other])

  await machine.daemon.leave()
  machine.daemon = await bench.daemon()
  await machine.has(slow, 'turn_completed')
})
