/** This machine's identity for its hub, and the contents of its hello. */
import { auditHeadsFile } from '../identity/audit-heads-file'
import { chainFile, type Identity, requireIdentity, signAs } from '../identity/identity-file'
import type { DaemonOptions } from './daemon-options'
import type { DiskWatch } from './home/disk-watch'
import type { Greeting } from './link-ports'
import type { ManifestService } from './looks/manifest-service'
import { helloOf } from './policy/hello'
import type { PolicyWatch } from './policy/policy-watch'

interface GreetingParts {
  options: DaemonOptions
  identity: Identity
  disk: DiskWatch
  policyWatch: PolicyWatch
  manifest: ManifestService
}

export function greetingOf({ options, identity, disk, policyWatch, manifest }: GreetingParts): Greeting {
  const { home, software } = options
  return {
    // The key may have changed since the last connection.
    identity: { ...identity, sign: (text) => signAs(requireIdentity(home.identityFile), text) },
    chain: chainFile(home.chainFile, disk.guard('the chain')),
    auditHeads: auditHeadsFile(home.auditHeadsFile, disk.guard('the audit heads')),
    hello: () => helloOf(software, identity.name, policyWatch, manifest.current()),
  }
}
