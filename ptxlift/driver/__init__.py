"""From texts to a code object: joins the stages. Must know no instruction and no chip."""
