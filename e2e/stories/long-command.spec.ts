import { expect, test } from '../support/browser/story'

/** So long that nobody sees its end by chance. */
const command = `${'echo fine; '.repeat(9_300)}echo the dangerous end`

test('[T41] [A24] [PERM-7.1] [PERM-7.3] [LOG-6] a command of 100 KB is there whole, and can be allowed only when all of it was on the screen', async ({
  person,
  system,
}) => {
  const { page } = person
  const { rest, close } = await system.hub.client()
  const [agent] = (await rest.agents()).items
  const prompt = `Run it. SCRIPT: ${JSON.stringify([{ tool: 'Bash', input: { command } }, { text: 'It ran.' }])}`
  const settings = { backend: 'scripted', workDir: system.workDir }
  const { sessionId } = await rest.createSession({ agentId: agent?.agentId ?? '', settings, prompt })
  close()
  await page.goto(`${system.hub.url}/sessions/${sessionId}`)
  const button = (name: string) => person.ask.getByRole('button', { name, exact: true })
  await expect(button('Deny…')).toBeEnabled()
  await expect(button('Allow')).toBeDisabled()
  await person.ask.focus()
  await page.keyboard.press('a')
  await expect(person.ask.getByTestId('prompt-unseen')).toBeVisible()
  await expect(person.ask.getByText('the dangerous end')).toHaveCount(0)

  await person.ask.getByRole('button', { name: /^Show all: 1 line, / }).click()
  await expect(person.ask.getByText('the dangerous end')).toBeAttached()
  await expect(button('Allow')).toBeDisabled()
  const region = person.ask.getByRole('group', { name: 'Command' })
  await region.evaluate((element) => element.closest('.overflow-y-auto')?.scrollTo({ top: 10_000_000 }))
  await expect(person.ask.getByTestId('prompt-unseen')).toHaveCount(0)
  await person.answer('Allow')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  await expect(person.transcript.getByTestId('assistant-text')).toHaveText('It ran.')
})
