import { itKeepsItsPromises, ordinarySeeds } from './seeds.suite'

itKeepsItsPromises(1, ordinarySeeds / 2)
