import { expect, it } from 'vitest'
import { shownCapabilities } from './shown-capabilities'

const told = { supportsMessageInjection: false, supportsSessionResume: true, emitsSubagentEvents: false }

it.each([true, false])(
  'people read whether the operating system enforces the sandbox of a program: %s',
  (enforcesSandbox) => {
    const shown = shownCapabilities({ ...told, enforcesSandbox })
    expect(shown).toContainEqual({ label: 'The operating system enforces the sandbox', yes: enforcesSandbox })
  },
)
