/** The text for people who may not add a machine themselves. */
export const WHO_ADDS_MACHINES =
  'Ask an owner or admin of this hub to add a machine, or to share one of theirs with you.'
