/** Real programs of the Agent Client Protocol in the browser. A story is one session, since they take seconds to start. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { expect, onBackend, type Person, test } from '../support/browser/story'
import { until } from '../support/common/until'
import { type AcpBackend, prompts } from '../support/processes/backends'
import type { System } from '../support/processes/system'

/** A start of such a program, on a machine with other work. */
const starts = { timeout: 150_000 }

/** Each answer and each call stands in the log once. The page draws the part that is looked at. */
async function nothingIsDoubled({ transcript, sessionId }: Person, system: System, answers: readonly string[]) {
  const events = eventsOf(logOf(system.agent.sessionFolder(sessionId)))
  const told = events.flatMap((event) => (event.kind === 'assistant_text' && !event.partial ? [event.text] : []))
  expect(told.filter((text) => answers.some((answer) => answer === text))).toEqual(answers)
  expect(events.filter(({ kind }) => kind === 'tool_use')).toHaveLength(2)
  const shown = await transcript.getByTestId('assistant-text').allTextContents()
  expect(shown).toContain(answers.at(-1))
  expect(new Set(shown).size).toBe(shown.length)
}

async function allowsAndDenies(person: Person, kind: AcpBackend, workDir: string): Promise<void> {
  const [allowed, denied] = ['allowed.txt', 'denied.txt'].map((name) => path.join(workDir, name)) as [string, string]
  await person.startSession(prompts.write(kind, allowed, 'yes', 'Written.'))
  await expect(person.ask).toContainText('allowed.txt', starts)
  expect(existsSync(allowed)).toBe(false)
  await person.answer('Allow')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect(readFileSync(allowed, 'utf8')).toBe('yes\n')

  await person.send(prompts.write(kind, denied, 'no', 'Understood.'))
  await person.answer('Deny…')
  await person.answer('Deny')
  await expect(person.turnEnds('completed')).toHaveCount(2)
  await expect(person.transcript.getByTestId('tool-card').last()).toContainText('Denied by Ana')
  expect(existsSync(denied)).toBe(false)
}

async function saysNext(person: Person, text: string): Promise<void> {
  await person.send(prompts.say(text))
  await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText(text, starts)
}

/** What the page says of a model that does not exist, and what holds then. */
async function saysSoOf({ transcript }: Person, model: string): Promise<void> {
  const told = transcript.getByText(/So the model is the program’s own again\.$/)
  await expect(told).toBeVisible(starts)
  await expect(told).toContainText(model)
}

const idOf = async (system: System, sessionId: string) =>
  (await (await system.hub.client()).rest.snapshot(sessionId)).session.backendSessionId

onBackend('opencode', () => {
  // Three starts of the program.
  test.setTimeout(480_000)
  test('[RES-2.6] [RES-6.4] [CAP-4.6] allow, deny, stop, a model that does not exist, kill -9 of the program and of its host: the conversation goes on, and no line is doubled', async ({
    person,
    system,
  }) => {
    await allowsAndDenies(person, 'opencode', system.workDir)
    await person.send(prompts.stream(2_000))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    await person.page.getByRole('button', { name: 'Stop' }).click()
    await expect(person.turnEnds('interrupted')).toHaveCount(1)
    // The program says zero, since it was stopped before it counted.
    await expect(person.turnEnds('interrupted')).not.toContainText('tokens')
    await (await system.hub.client()).rest.configure(person.sessionId, { model: 'scripted/no-such-model' })
    await saysSoOf(person, 'scripted/no-such-model')
    await saysNext(person, 'After the stop.')
    const before = await idOf(system, person.sessionId)

    await person.send(prompts.stream(2_000))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    process.kill(await until('the program', () => system.agent.backendPid(person.sessionId)), 'SIGKILL')
    await expect(person.turnEnds('process_exited')).toHaveCount(1)
    await saysNext(person, 'After the program.')

    await person.send(prompts.stream(2_000))
    await expect(person.page.getByTestId('live-block')).toContainText('word5')
    process.kill(await until('the host', () => system.agent.hostPid(person.sessionId)), 'SIGKILL')
    await expect(person.turnEnds('process_exited')).toHaveCount(2)
    await saysNext(person, 'After the host.')
    expect(await idOf(system, person.sessionId)).toBe(before)
    expect(JSON.stringify(system.around.asked().at(-1))).toContain('After the stop.')
    await nothingIsDoubled(person, system, ['Written.', 'After the stop.', 'After the program.', 'After the host.'])
  })
})

onBackend('gemini', () => {
  // Each of two resumes may wait for the next minute.
  test.setTimeout(480_000)
  test('[RES-2.6] [CAP-4.7] allow, deny, a model that does not exist, and kill -9 in its first minute: the conversation goes on from the next minute, and no line is doubled', async ({
    person,
    system,
  }) => {
    await allowsAndDenies(person, 'gemini', system.workDir)
    const before = await idOf(system, person.sessionId)
    process.kill(await until('the program', () => system.agent.backendPid(person.sessionId)), 'SIGKILL')
    await person.send(prompts.say('After the program.'))
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('After the program.', {
      timeout: 150_000,
    })
    expect(await idOf(system, person.sessionId)).toBe(before)
    expect(JSON.stringify(system.around.asked().at(-1))).toContain('Written.')
    // A second time: the first one left a second file of the conversation.
    await expect(person.turnEnds('completed')).toHaveCount(3)
    process.kill(await until('the program', () => system.agent.backendPid(person.sessionId)), 'SIGKILL')
    await person.send(prompts.say('Once more.'))
    await expect(person.transcript.getByTestId('assistant-text').last()).toHaveText('Once more.', { timeout: 150_000 })
    expect(await idOf(system, person.sessionId)).toBe(before)
    expect(JSON.stringify(system.around.asked().at(-1))).toContain('After the program.')
    await nothingIsDoubled(person, system, ['Written.', 'Understood.', 'After the program.', 'Once more.'])
    await (await system.hub.client()).rest.configure(person.sessionId, { model: 'no-such-model' })
    await person.send(prompts.say('Never.'))
    await expect(person.turnEnds('failed')).toHaveCount(1)
    await saysSoOf(person, 'no-such-model')
  })
})
