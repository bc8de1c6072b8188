import { easytierPlants } from './easytier'
import { hostPlants } from './hosts'
import { mediaPlants } from './media'
import type { Plant } from './plant'
import { roomPlants } from './room'

export const plants: readonly Plant[] = [...mediaPlants, ...roomPlants, ...easytierPlants, ...hostPlants]
