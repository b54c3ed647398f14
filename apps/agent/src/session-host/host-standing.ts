/** What only the host as a whole knows, for all parts of its session. */
import type { HostPolicy } from '../host-contract/launch-spec'

export class HostStanding {
  closing = false

  /** `place`: among the programs that may run on this machine at once. */
  constructor(
    public policy: HostPolicy,
    public place: boolean,
  ) {}
}
