import { itKeepsItsPromises, ordinarySeeds } from './seeds.suite'

itKeepsItsPromises(ordinarySeeds / 2 + 1, ordinarySeeds)
