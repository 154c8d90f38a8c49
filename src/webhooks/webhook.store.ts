import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import { Webhook } from './webhook.entity';

@Injectable()
export class WebhookStore extends RowStore<Webhook> {
  constructor(database: Database) {
    super(database, Webhook);
  }
}
