/** Images in the composer: picked, pasted, dropped, taken out again, refused; sent, seen in the transcript, and by the program. */
import { createHash } from 'node:crypto'
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { giveFile } from '../support/damage/give-file'

const bytesOf = (kind: keyof typeof pixels) => Buffer.from(pixels[kind], 'base64')
const seenBy = (kind: keyof typeof pixels) => {
  const file = bytesOf(kind)
  return `I see image/${kind}, ${file.length} bytes, ${createHash('sha256').update(file).digest('hex')}`
}
const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer })
const says = (text: string) => `Look at this. SCRIPT: ${JSON.stringify([{ text }])}`

for (const { width, height } of screens) {
  test(`[IMG-1] at ${width} px images are pasted, dropped and picked, and one is taken out again`, async ({
    person,
    page,
  }) => {
    await page.setViewportSize({ width, height })
    await person.startSession(says('Ready.'))
    await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
    await page.getByLabel('Prompt').focus()
    const attached = page.getByTestId('attached-image')

    await giveFile(page.getByLabel('Prompt'), 'paste', pixels.png, 'pasted.png')
    await expect(attached).toHaveCount(1)
    await giveFile(page.getByLabel('Prompt'), 'drop', pixels.webp, 'dropped.webp')
    await expect(attached).toHaveCount(2)
    await page
      .getByLabel('Attach images')
      .setInputFiles([file('a.gif', bytesOf('gif')), file('b.jpg', bytesOf('jpeg'))])
    await expect(page.locator('[data-testid=attached-image][data-state=ready]')).toHaveCount(4)
    await expect(page.getByText('Secrets in them are not removed.')).toBeVisible()
    await expect(page.getByRole('img', { name: 'pasted.png' })).toBeVisible()
    await page.getByRole('button', { name: 'Remove a.gif' }).click()
    await expect(attached).toHaveCount(3)
    // What is shown is a picture and not a broken one.
    const drawn = await page
      .getByRole('img', { name: 'dropped.webp' })
      .evaluate((img) => (img as HTMLImageElement).naturalWidth)
    expect(drawn).toBe(16)

    await person.send(says('Seen them.'))
    await expect(person.transcript.getByText('Seen them.', { exact: true })).toBeVisible()
    await expect(attached).toHaveCount(0)
    for (const kind of ['png', 'webp', 'jpeg'] as const)
      await expect(person.transcript.getByText(seenBy(kind))).toHaveCount(1)
    const message = person.transcript.getByTestId('user-message').last()
    await expect(message.getByText('images sent unchanged')).toBeVisible()
    for (const index of [1, 2, 3]) {
      const image = message.getByRole('img', { name: `Image ${index} of 3` })
      await expect(image).toHaveAttribute('src', /^blob:/)
      expect(await image.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(16)
    }

    await page.reload()
    await expect(person.transcript.getByRole('img', { name: 'Image 1 of 3' })).toBeVisible()
  })

  variation(
    `[IMG-1.2] [IMG-1.1] at ${width} px what is no image, too large or too many is told and not sent`,
    async ({ person, page }) => {
      await page.setViewportSize({ width, height })
      await person.startSession(says('Ready.'))
      await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
      await page.getByLabel('Prompt').focus()
      const pick = page.getByLabel('Attach images')
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
      const large = Buffer.alloc(6_000_000)
      bytesOf('png').copy(large)
      await pick.setInputFiles([file('logo.png', svg), file('empty.png', Buffer.alloc(0)), file('large.png', large)])
      const problems = page.getByRole('group', { name: 'Composer' }).getByRole('alert')
      await expect(problems).toContainText('logo.png: This is not a PNG, JPEG, WebP or GIF image.')
      await expect(problems).toContainText('empty.png: This is not a PNG, JPEG, WebP or GIF image.')
      await expect(problems).toContainText('large.png: The image is larger than 5 MB.')
      await expect(page.getByTestId('attached-image')).toHaveCount(0)

      await pick.setInputFiles(Array.from({ length: 11 }, (_, i) => file(`${i}.png`, bytesOf('png'))))
      await expect(page.locator('[data-testid=attached-image][data-state=ready]')).toHaveCount(10)
      await expect(problems).toHaveText('A prompt takes at most 10 images.')
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await expect(problems).toHaveCount(0)
      await person.send(says('Seen ten.'))
      await expect(person.transcript.getByText('Seen ten.', { exact: true })).toBeVisible()
      await expect(person.transcript.getByText(seenBy('png')).first()).toBeAttached()
    },
  )
}

variation('[IMG-2] a prompt that failed is tried again with its images', async ({ person, page }) => {
  await person.startSession(says('Ready.'))
  await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
  await page.getByLabel('Attach images').setInputFiles(file('a.png', bytesOf('png')))
  await expect(page.locator('[data-testid=attached-image][data-state=ready]')).toHaveCount(1)
  await person.send(`Fail. SCRIPT: ${JSON.stringify([{ error: 500 }])}`)
  await expect(person.turnEnds('failed')).toHaveCount(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(person.transcript.getByText(seenBy('png'))).toHaveCount(2)
  await expect(person.transcript.getByRole('img', { name: 'Image 1 of 1' })).toHaveCount(2)
})

variation('[IMG-1.5] images alone are a prompt, at once and behind the turn that runs', async ({ person, page }) => {
  // What answers a prompt without words is long, and rows above the screen are not drawn.
  await page.setViewportSize({ width: 1440, height: 2_400 })
  await person.startSession(`Wait. SCRIPT: ${JSON.stringify([{ text: 'Working.', hang: true }])}`)
  await expect(person.transcript.getByText('Working.', { exact: true })).toBeVisible()
  const ready = page.locator('[data-testid=attached-image][data-state=ready]')
  await page.getByLabel('Attach images').setInputFiles(file('a.png', bytesOf('png')))
  await expect(ready).toHaveCount(1)
  await page.getByRole('button', { name: 'Queue', exact: true }).click()
  const queued = page.getByTestId('queued-prompt')
  await expect(queued).toContainText('1 image')
  await expect(queued.getByRole('button', { name: 'No text' })).toBeVisible()
  await page.getByRole('button', { name: 'Stop turn' }).click()
  await page.getByRole('button', { name: 'Run queue' }).click()
  await expect(person.transcript.getByText(seenBy('png'))).toHaveCount(1)
  const message = person.transcript.getByTestId('user-message').last()
  await expect(message.getByRole('img', { name: 'Image 1 of 1' })).toBeVisible()
})
