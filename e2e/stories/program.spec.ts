/** What the running program says of itself, where a person looks for it (CMD-11). */
import { expect, onBackend, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { prompts } from '../support/processes/backends'

for (const [kind, account, servers, model] of [
  ['scripted', 'Demo (scripted)', 'No MCP servers.', 'scripted-small'],
  // The tools of its session host.
  ['claude', 'ANTHROPIC_API_KEY', 'roundhouse', 'opus'],
] as const) {
  onBackend(kind, () => {
    const story = kind === 'claude' ? test : variation
    story(
      '[CMD-11.1] [CMD-11.7] its account, its servers and its models stand in the menu of the session while it runs',
      async ({ person, page }) => {
        const menu = () => page.getByRole('button', { name: 'More for this session' }).click()
        const entry = page.getByRole('menuitem', { name: 'About the program…' })
        await person.startSession(prompts.say('Hello.'))
        await expect(person.turnEnds('completed')).toHaveCount(1)
        await menu()
        await entry.click()
        const dialog = page.getByRole('dialog', { name: /^About / })
        await expect(dialog.getByRole('region', { name: 'Account' })).toContainText(account)
        await expect(dialog.getByRole('region', { name: 'MCP servers' })).toContainText(servers)
        await expect(dialog.getByRole('region', { name: 'Models' })).toContainText(model)
        await page.keyboard.press('Escape')
        await expect(dialog).toHaveCount(0)
        await menu()
        await page.getByRole('menuitem', { name: 'Stop program (can resume)…' }).click()
        await page.getByRole('button', { name: 'Stop program' }).click()
        await expect(person.status).toContainText('Program stopped')
        await menu()
        await expect(entry).toBeDisabled()
      },
    )
  })
}

variation(
  '[LOG-7.4] while the hub is gone, the page does not say that the machine is',
  async ({ person, page, system }) => {
    await person.startSession(prompts.say('Hello.'))
    await expect(person.turnEnds('completed')).toHaveCount(1)
    const said = new Set<string>()
    await page.exposeFunction('heard', (text: string) => void said.add(text))
    await page.evaluate(() => {
      const status = document.querySelector('[data-testid=session-status]')
      const tell = () => (window as unknown as { heard(text: string): void }).heard(status?.textContent ?? '')
      if (status) new MutationObserver(tell).observe(status, { childList: true, subtree: true, characterData: true })
    })
    await system.hub.stop()
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'reconnecting')
    await expect(person.status).not.toContainText('Machine offline')
    await system.hub.start()
    await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
    await expect(person.status).toContainText('Idle')
    expect([...said].join()).not.toContain('Machine offline')
  },
)
