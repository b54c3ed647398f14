/** An owner sets up Telegram; a person links a chat, lets it decide, and unlinks it. */

import { expect, test } from '@playwright/test'
import { BotApi } from '@roundhouse/bot-api-testkit'
import { inBothThemes } from '../support/browser/axe'
import { phone } from '../support/browser/screens'
import { Person } from '../support/browser/story'
import { owner } from '../support/processes/hub-process'
import { startSystem } from '../support/processes/system'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const ana = { id: 71, username: 'ana', first_name: 'Ana' }
const desk = { width: 1440, height: 900 }

test('[CHAN-1.1] [CHAN-2.1] [CHAN-3.2] an owner sets the bot; on a phone they link a chat, let it decide, and unlink it', async ({
  page,
}) => {
  const api = await BotApi.start()
  const system = await startSystem('scripted', { hubEnv: { ROUNDHOUSE_TELEGRAM_API: api.url } })
  /** On the phone, in both themes. `npm run matrix` takes pictures of both widths. */
  const looked = async (name: string) => {
    for (const [size, screen] of Object.entries(wholeMatrix ? { wide: desk, narrow: phone } : {})) {
      await page.setViewportSize(screen)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: `test-results/chat-${name}-${size}-${colorScheme}.png`, animations: 'disabled' })
      }
    }
    await page.setViewportSize(phone)
    expect(await inBothThemes(page)).toEqual([])
  }
  try {
    await page.setViewportSize(desk)
    const person = new Person(page, system)
    await person.open()
    await page.goto(`${system.hub.url}/agents`)
    const bot = page.getByTestId('chat-bot')
    await bot.getByRole('button', { name: 'Set up Telegram' }).click()
    const setUp = page.getByRole('dialog', { name: 'Set up Telegram' })
    await setUp.getByLabel('Token of the bot').fill('1:not-the-token-of-any-bot')
    await setUp.getByRole('button', { name: 'Set token' }).click()
    await expect(setUp.getByText('CHANNEL_TOKEN_WRONG')).toBeAttached()
    await setUp.getByLabel('Token of the bot').fill(api.token)
    await setUp.getByRole('button', { name: 'Set token' }).click()
    await expect(bot).toContainText('Connected')
    await expect(bot).toContainText('@roundhouse_bot')
    await bot.scrollIntoViewIfNeeded()
    await looked('bot')

    await page.goto(`${system.hub.url}/account`)
    const chat = page.getByTestId('chat')
    await chat.getByRole('button', { name: 'Link a chat' }).click()
    const link = page.getByRole('dialog', { name: 'Link a chat' })
    await link.getByLabel('Your password').fill(owner.password)
    await link.getByRole('button', { name: 'Create code' }).click()
    const code = (await link.getByTestId('shown-once').textContent()) ?? ''
    await looked('code')
    api.writes(ana, code)
    const told = page.getByRole('dialog', { name: 'Chat linked' })
    await expect(told).toContainText('@ana')
    await told.getByRole('button', { name: 'Done' }).click()

    const linked = page.getByTestId('linked-chat')
    await expect(linked).toContainText('@ana')
    const approvals = linked.getByRole('switch', { name: 'Decide permission requests in this chat' })
    await expect(approvals).toHaveAttribute('aria-checked', 'false')
    await approvals.click()
    const allow = page.getByRole('dialog', { name: 'Decide permission requests in the chat?' })
    await allow.getByLabel('Your password').fill(owner.password)
    await allow.getByRole('button', { name: 'Turn on' }).click()
    await expect(approvals).toHaveAttribute('aria-checked', 'true')
    await linked.scrollIntoViewIfNeeded()
    await looked('linked')
    await approvals.click()
    await expect(approvals).toHaveAttribute('aria-checked', 'false')

    await linked.getByRole('button', { name: 'Unlink' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
    await expect(linked).toHaveCount(0)
  } finally {
    await system.dispose()
    await api.stop()
  }
})
