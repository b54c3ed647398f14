import { describe, expect, it } from 'vitest'
import { invitedBy, linkFor } from './invited'

describe('an invitation link', () => {
  it.each([
    { email: 'olga+hub@example.com', isNew: true },
    { email: 'ö&=#@example.com', isNew: false },
  ])('says to the form who is meant: $email', (invited) => {
    const [before, code, ...beside] = linkFor('https://hub.example/invitation#rhi_1.abc', invited).split(/[#&]/)
    expect([before, code]).toEqual(['https://hub.example/invitation', 'rhi_1.abc'])
    expect(invitedBy(beside.join('&'))).toEqual(invited)
  })

  it('that has its code alone names nobody', () => {
    expect(invitedBy('')).toBeNull()
    expect(invitedBy('email=')).toBeNull()
  })
})
