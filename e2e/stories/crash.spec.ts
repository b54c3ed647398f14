import { expect, onBackend, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { until } from '../support/common/until'
import { type BackendKind, backendKinds, numbered, prompts } from '../support/processes/backends'
import { wholeMatrix } from '../support/rigs/whole-matrix'

/** Codex dies in each state in the kill matrix already, and the page is the same: in the browser it does in long runs. */
const kinds = backendKinds.filter((kind) => kind !== 'codex' || wholeMatrix)

for (const kind of kinds) {
  onBackend(kind, () => {
    test('[RES-2.6] kill -9 of the program: what it wrote stays, and the next prompt continues the conversation', async ({
      person,
      system,
    }) => {
      const sessionId = await person.startSession(prompts.say('Before the crash.'))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      const before = (await (await system.hub.client()).rest.snapshot(sessionId)).session.backendSessionId
      await person.send(prompts.stream(2_000))
      await expect(person.page.getByTestId('live-block')).toContainText('word5')
      process.kill(await until('the program', () => system.agent.backendPid(sessionId)), 'SIGKILL')

      await expect(person.turnEnds('process_exited')).toHaveCount(1)
      await expect(person.transcript).toContainText('Cut short here')
      await expect(person.page.getByTestId('session-notice')).toContainText('continues the same conversation')
      await person.send(prompts.say('After the crash.'))
      await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('After the crash.')
      const after = (await (await system.hub.client()).rest.snapshot(sessionId)).session.backendSessionId
      expect(after).toBe(before)
    })

    // Whoever carries or watches dies beside a real program in the kill matrix; in the browser that is for long runs.
    if (kind === 'scripted' || wholeMatrix) othersDie(kind)
  })
}

function othersDie(kind: BackendKind): void {
  test('[RES-6.4] kill -9 of the session host: its guard ends the program, the session says so and goes on', async ({
    person,
    system,
  }) => {
    const sessionId = await person.startSession(prompts.stream(2_000))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    const program = await until('the program', () => system.agent.backendPid(sessionId))
    process.kill(await until('the host', () => system.agent.hostPid(sessionId)), 'SIGKILL')

    await expect(person.turnEnds('process_exited')).toHaveCount(1)
    await expect(person.transcript).toContainText('word5')
    await until('the program to be gone', () => !isAlive(program))
    await person.send(prompts.say('Back again.'))
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Back again.')
  })

  test('[PERM-3.1] a waiting prompt survives the hub, the daemon and a reload, and is applied once', async ({
    person,
    system,
  }) => {
    await person.startSession(prompts.write(kind, `${system.workDir}/late.txt`, 'late', 'Written late.'))
    await expect(person.ask).toHaveCount(1)
    await system.hub.kill()
    await system.agent.kill()
    await system.hub.start()
    await system.agent.start()
    await person.page.reload()
    await expect(person.ask).toHaveCount(1)
    await person.answer('Allow')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Written late.')
  })

  test('[RES-1.1] kill -9 of the daemon in mid-turn: the turn ends normally', async ({ person, system }) => {
    await person.startSession(prompts.stream(150))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    await system.agent.kill()
    await system.agent.start()
    await expect(person.turnEnds('completed')).toHaveCount(1)
    await expect(person.transcript.getByTestId('assistant-text')).toHaveText(numbered(150))
  })

  test('[VIEW-6] kill -9 of the hub in mid-turn: the transcript is complete and in order', async ({
    person,
    system,
  }) => {
    await person.startSession(prompts.stream(150))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    await system.hub.kill()
    await system.hub.start()
    await expect(person.turnEnds('completed')).toHaveCount(1)
    await expect(person.transcript.getByTestId('assistant-text')).toHaveText(numbered(150))
  })

  variation(
    '[PERM-3] an answer that a dead hub did not take: the page says so until it is back, and takes it then',
    async ({ person, system }) => {
      await person.startSession(prompts.write(kind, `${system.workDir}/late.txt`, 'late', 'Written late.'))
      // All of it is on the page: what draws a part of it comes from the hub, too.
      await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled()
      await system.hub.kill()
      await person.answer('Allow')
      await expect(person.ask).toContainText('The hub is not responding')
      await system.hub.start()
      await expect(person.ask).not.toContainText('The hub is not responding')
      await person.answer('Allow')
      await expect(person.turnEnds('completed')).toHaveCount(1)
    },
  )

  variation(
    '[CMD-5.5] a prompt that a dead hub did not take stays in the box: the page says so until it is back',
    async ({ person, system }) => {
      await person.startSession(prompts.say('First.'))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await system.hub.kill()
      await person.send(prompts.say('Second.'))
      const refused = person.page.getByText('The hub is not responding')
      await expect(refused).toBeVisible()
      await system.hub.start()
      await expect(refused).toHaveCount(0)
      await expect(person.page.getByLabel('Prompt')).toHaveValue(prompts.say('Second.'))
      await person.page.getByLabel('Prompt').press('Enter')
      await expect(person.turnEnds('completed')).toHaveCount(2)
    },
  )

  variation('a closed tab in mid-turn costs nothing', async ({ person, context }) => {
    const sessionId = await person.startSession(prompts.stream(120))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    await person.page.close()
    const again = await context.newPage()
    await again.goto(`${person.system.hub.url}/sessions/${sessionId}`)
    await expect(again.getByTestId('turn-end')).toHaveCount(1)
    await expect(again.getByTestId('assistant-text')).toHaveText(numbered(120))
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
