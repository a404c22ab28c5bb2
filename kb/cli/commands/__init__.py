"""The commands of `sansho`, grouped by what they are about; most are a method of KnowledgeBase."""
