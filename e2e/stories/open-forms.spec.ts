/** What axe finds where something is open: a question with its form, a list over the composer, a menu, a dialog. */
import { inOneTheme } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const script = (...steps: object[]) => `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
const options = [
  { label: 'Red', description: 'Like fire' },
  { label: 'Blue', description: 'Like water' },
]
const questions = [
  { question: 'Which colour?', header: 'Colour', options },
  { question: 'Which toppings?', multiSelect: true, options: [{ label: 'Nuts' }, { label: 'Fruit' }] },
]
const requestedSchema = {
  type: 'object',
  required: ['name', 'seats'],
  properties: {
    name: { type: 'string', title: 'Your name' },
    seats: { type: 'integer', title: 'Seats', minimum: 1 },
    yearly: { type: 'boolean', title: 'Yearly' },
  },
}

interface Opened {
  /** Opens it; what it gives back is there once it is open. */
  opens(person: Person): Promise<void>
  closes?(person: Person): Promise<void>
}

/** Escape, and nothing of it is left. */
async function escapes({ page }: Person): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

async function stops(person: Person): Promise<void> {
  await person.answer('Stop turn')
  await expect(person.ask).toHaveCount(0)
}

const asks = (step: object, ...buttons: string[]): Opened => ({
  async opens(person) {
    await person.send(script(step))
    await expect(person.ask).toBeVisible()
    for (const button of buttons) {
      if (button === 'Send answer') await person.answer(button)
      else {
        await expect(person.ask.getByRole('button', { name: 'Stop turn' })).toBeEnabled()
        await person.answer(button)
      }
    }
  },
  async closes(person) {
    const back = person.ask.getByRole('button', { name: 'Back' })
    if (await back.isVisible()) await back.click()
    await stops(person)
  },
})

const command = { tool: 'Bash', ask: 'to have a folder', input: { command: 'mkdir -p one' }, output: 'ok' }

const ofASession: Record<string, Opened> = {
  'a question that nobody has answered': asks({ tool: 'AskUserQuestion', input: { questions } }, 'Send answer'),
  'a form that lacks something': asks(
    { tool: 'AskByForm', input: { message: 'Who?', requestedSchema } },
    'Send answer',
  ),
  'a plan': asks({ tool: 'ExitPlanMode', input: { plan: '# The plan\n\n1. Write **it**.' } }),
  'a plan that is sent back': asks({ tool: 'ExitPlanMode', input: { plan: '# The plan' } }, 'Keep planning…'),
  'a command that is edited': asks(command, 'Edit…'),
  'a command that is refused with a reason': asks(command, 'Deny…'),
  'the scopes of an allow': asks(command, 'Allow for session…'),
  'commands at the composer': {
    async opens({ page }) {
      await page.getByLabel('Prompt').pressSequentially('/')
      await expect(page.getByRole('option').first()).toBeVisible()
    },
    async closes({ page }) {
      await page.getByLabel('Prompt').fill('')
    },
  },
  'the menu of the session': {
    async opens({ page }) {
      await page.getByRole('button', { name: 'More for this session' }).click()
      await expect(page.getByRole('menuitem').first()).toBeVisible()
    },
    async closes({ page }) {
      await page.keyboard.press('Escape')
    },
  },
  ...Object.fromEntries(
    ['Rename…', 'New session like this…', 'End session for good…', 'Delete…'].map((name): [string, Opened] => [
      name,
      {
        async opens({ page }) {
          await page.getByRole('button', { name: 'More for this session' }).click()
          await page.getByRole('menuitem', { name }).click()
          await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toBeVisible()
        },
      },
    ]),
  ),
}

const byButton = (path: string, name: string): Opened => ({
  async opens({ page, system }) {
    await page.goto(`${system.hub.url}${path}`)
    await page.getByRole('button', { name, exact: true }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(page.getByText(/^(Loading|Opening) .*…$/)).toHaveCount(0)
  },
})

const ofOtherPages: Record<string, Opened> = {
  'a new session': byButton('/', 'New session'),
  'a new machine': byButton('/agents', 'Add machine'),
  'an invitation': byButton('/people', 'Invite'),
  'a new token': byButton('/account', 'Create token'),
  'two-factor authentication': byButton('/account', 'Turn on'),
  'a new password': {
    async opens({ page, system }) {
      await page.goto(`${system.hub.url}/account`)
      await page.getByLabel('Current password').fill('something')
    },
    async closes() {},
  },
  'the shortcuts': {
    async opens({ page, system }) {
      await page.goto(`${system.hub.url}/sessions`)
      await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    },
  },
  'the command palette': {
    async opens({ page }) {
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible()
    },
  },
}

async function faultsOf(person: Person, all: Record<string, Opened>): Promise<string[]> {
  const found: string[] = []
  for (const [name, { opens, closes = escapes }] of Object.entries(all)) {
    await test.step(name, async () => {
      await opens(person)
      found.push(...(await inOneTheme(person.page)).map((fault) => `${name}: ${fault}`))
      await closes(person)
    })
  }
  return found
}

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport, actionTimeout: 15_000 })

    test('no question, list, menu or dialog of a session has a serious accessibility fault', async ({ person }) => {
      test.setTimeout(240_000)
      await person.startSession(script())
      await expect(person.turnEnds('completed')).toHaveCount(1)
      expect(await faultsOf(person, ofASession)).toEqual([])
    })

    variation('nor has a dialog of any other page', async ({ person }) => {
      test.setTimeout(240_000)
      expect(await faultsOf(person, ofOtherPages)).toEqual([])
    })
  })
}
