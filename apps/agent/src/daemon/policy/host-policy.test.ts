import { describe, expect, it } from 'vitest'
import { Policy } from '../../policy/policy'
import { backendPaths, hostPolicy } from './host-policy'

const kinds = ['claude', 'codex']
const kilo = { argv: ['/opt/kilo', 'acp'], profile: 'generic', label: 'Kilo' }
const allowed = (fields: object) =>
  hostPolicy(Policy.parse(fields), { paused: false, agentPlaces: [], wrongVersions: {}, kinds }).backends

describe('[POL-1.10] the backends of a host', () => {
  it('are those of the release where the policy names none', () => {
    expect(allowed({})).toEqual(kinds)
    expect(allowed({ backends: { codex: {} } })).toEqual(['codex'])
  })

  it('have each program that the policy names, whatever else it allows', () => {
    expect(allowed({ programs: { kilo } })).toEqual([...kinds, 'kilo'])
    expect(allowed({ backends: {}, programs: { kilo } })).toEqual(['kilo'])
  })

  it('come with what starts them, and a program without a label has its name', () => {
    const programs = { kilo, plain: { argv: ['/opt/plain'] } }
    const backends = { claude: { path: '/opt/claude' }, kilo: { versions: '>=1' } }
    expect(backendPaths(Policy.parse({ backends, programs }), kinds)).toEqual({
      claude: { binaryPath: '/opt/claude' },
      kilo: { program: kilo },
      plain: { program: { argv: ['/opt/plain'], profile: 'generic', label: 'plain' } },
    })
  })
})
