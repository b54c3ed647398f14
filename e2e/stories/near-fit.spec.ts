/** A request that nearly fits its card is shown whole; only one that hides much scrolls. */
import { screens } from '../support/browser/screens'
import { expect, type Person } from '../support/browser/story'
import { variation } from '../support/browser/variation'

/** Each is one line longer than the one before. */
const script = (lines: number) =>
  `Do it. SCRIPT: ${JSON.stringify([
    { tool: 'Bash', ask: true, input: { command: `mkdir -p ${'a-folder\\\n'.repeat(lines)}` }, output: 'ok' },
    { text: 'Done.' },
  ])}`

/** How much lies below the edge of the card's action. */
const hiddenIn = ({ ask }: Person) =>
  ask.locator('[data-scroll-body]').evaluate((box) => box.scrollHeight - box.clientHeight)

const THREE_LINES_PX = 64

for (const { width, height } of screens) {
  variation(
    `[PERM-7.1] at ${width} px a request that would hide a line or two is shown whole, and can be allowed`,
    async ({ person, page }) => {
      await page.setViewportSize({ width, height })
      const hidden: number[] = []
      for (let lines = 1; lines <= 11; lines += 1) {
        if (lines === 1) await person.startSession(script(lines))
        else await person.send(script(lines))
        await expect(person.ask.getByRole('button', { name: 'Deny…' })).toBeEnabled()
        hidden.push(await hiddenIn(person))
        await person.answer('Stop turn')
        await expect(person.ask).toHaveCount(0)
      }
      expect(hidden.filter((pixels) => pixels > 0 && pixels <= THREE_LINES_PX)).toEqual([])
    },
  )
}
