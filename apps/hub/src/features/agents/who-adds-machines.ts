/** To those who may not add one themselves. */
export const WHO_ADDS_MACHINES =
  'Ask an owner or admin of this hub to add a machine, or to share one of theirs with you.'
