/** How a turn that went wrong, and a very long change, are told. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { inBothThemes } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { until } from '../support/common/until'

const script = (steps: unknown[]) => `Do it. SCRIPT: ${JSON.stringify(steps)}`

for (const size of screens) {
  test.describe(`at ${size.width} px`, () => {
    test.use({ viewport: size })

    test('a failed turn can be tried again, and only the last one', async ({ person, page }) => {
      await person.startSession(script([{ error: 500 }]))
      await expect(person.turnEnds('failed')).toHaveCount(1)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect(person.turnEnds('failed')).toHaveCount(2)
      await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(1)
    })

    variation(
      '[LOG-6] a failed turn is tried again with all of its prompt, although the machine alone has it',
      async ({ person, page }) => {
        // The error is said behind the part that the log keeps: a shorter prompt would end well.
        await person.startSession(`${'A long prompt. '.repeat(6_000)}${script([{ error: 500 }])}`)
        await expect(person.turnEnds('failed')).toHaveCount(1)
        await page.getByRole('button', { name: 'Try again' }).click()
        await expect(person.turnEnds('failed')).toHaveCount(2)
      },
    )

    test('[SES-5.3] a session whose last turn failed reads Failed in every list until the next one begins', async ({
      person,
      page,
      system,
    }) => {
      const session = `/sessions/${await person.startSession(script([{ error: 500 }]))}`
      await expect(person.status).toHaveText('Failed')
      const row = page.locator(`a[href="${session}"]`)
      for (const list of ['/sessions', '/sessions?status=idle', '/']) {
        await page.goto(`${system.hub.url}${list}`)
        await expect(row).toContainText('Failed')
      }
      await page.goto(`${system.hub.url}${session}`)
      await person.send(script([{ text: 'Better.' }]))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(person.status).toHaveText('Idle')
      await page.goto(`${system.hub.url}/sessions`)
      await expect(row).toContainText('Idle')
    })

    test('[RES-2] a crash is told once on the page, in the transcript, with one button', async ({ person, page }) => {
      await person.startSession(script([{ text: 'Soon.' }, { crash: 1 }]))
      await expect(person.turnEnds('process_exited')).toContainText('The program crashed (code 1)')
      await expect(page.getByRole('button', { name: 'Resume' })).toHaveCount(1)
      await expect(page.getByTestId('session-notice')).toHaveText(
        /^Everything it printed is here\. Your next prompt, or Resume, continues the same conversation\.\s*Resume$/,
      )
      const told = (await page.locator('body').innerText()).match(/crashed|ended (with|by|unexpectedly)/g)
      expect(told).toEqual(['crashed'])
    })

    variation(
      'a program that dies after a failed turn is told in the transcript, with one button',
      async ({ person, page, system }) => {
        const sessionId = await person.startSession(script([{ error: 500 }]))
        await expect(person.turnEnds('failed')).toHaveCount(1)
        process.kill(await until('the program', () => system.agent.backendPid(sessionId)), 'SIGKILL')
        await expect(person.status).toHaveText('Program ended')
        await expect(page.getByRole('button', { name: /^(Try again|Resume)$/ })).toHaveText(['Try again'])
      },
    )

    test('a command that a person stops has stopped and not failed, also after a reload', async ({ person }) => {
      const { page, transcript } = person
      await person.startSession(script([{ tool: 'Bash', ask: false, input: { command: 'sleep 600' } }]))
      const card = transcript.getByTestId('tool-card')
      await expect(card).toHaveAttribute('data-state', 'running')
      await page.getByRole('button', { name: 'Stop turn' }).click()
      await expect(person.turnEnds('interrupted')).toHaveCount(1)
      await page.reload()
      await expect(card).toHaveAttribute('data-state', 'stopped')
      await expect(card).toContainText(/stopped.*\d/)
      await expect(card).not.toContainText('The person stopped this call')
      await card.getByRole('button').click()
      await expect(card).toContainText('Stopped before it was done.')
      const toModel = card.getByText('The person stopped this call')
      await expect(toModel).toBeHidden()
      await card.getByText('What the model read').click()
      await expect(toModel).toBeVisible()
      expect(await inBothThemes(page)).toEqual([])
    })

    variation('a call whose question was answered with Stop turn was not run', async ({ person }) => {
      await person.startSession(script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'a' } }]))
      await person.answer('Stop turn')
      await expect(person.turnEnds('interrupted')).toHaveCount(1)
      const card = person.transcript.getByTestId('tool-card')
      await expect(card).toHaveText(/^not run.*Turn stopped by Ana$/)
      await card.getByRole('button').click()
      await expect(card).toContainText('What the model read')
      await expect(card).not.toContainText('Stopped before it was done.')
    })

    test('a file of 5,000 lines that is written opens in parts like a change', async ({ person }) => {
      const content = Array.from({ length: 5_000 }, (_, n) => `const a${n} = ${n}`).join('\n')
      await person.startSession(script([{ tool: 'Write', input: { file_path: '/code/long.ts', content } }]))
      const change = person.ask.getByRole('group', { name: 'Change of /code/long.ts' })
      await expect(change).toContainText('added: const a39 = 39')
      await person.ask.getByRole('button', { name: 'Show 1,000 more of 5,000 lines' }).click()
      await expect(change).toContainText('added: const a1039 = 1039')
      await person.answer('Stop turn')
      await expect(person.turnEnds('interrupted')).toHaveCount(1)
    })

    variation(
      'a change of 5,000 lines opens in parts, with its file and the numbers of its lines',
      async ({ person, system }) => {
        const lines = (word: string) => Array.from({ length: 2_500 }, (_, n) => `${word} ${n}`).join('\n')
        const file = `long-${size.width}.ts`
        writeFileSync(path.join(system.workDir, file), lines('a'))
        const input = { file_path: file, old_string: lines('a'), new_string: lines('b') }
        await person.startSession(script([{ tool: 'Edit', input }]))
        const change = person.ask.getByRole('group', { name: `Change of ${file}` })
        // Its place is the first row, and of a long one the machine sends the beginning.
        await expect(change).toContainText('@@ -1,2500 +1,2500 @@')
        await expect(change).toContainText('removed: a 38')
        await expect(change.getByText('39', { exact: true })).toBeAttached()
        await person.ask.getByRole('button', { name: /^Show 1,000 more of 4,\d{3} lines$/ }).click()
        await expect(change).toContainText('removed: a 1038')
        await person.answer('Stop turn')
        await expect(person.turnEnds('interrupted')).toHaveCount(1)
      },
    )
  })
}
